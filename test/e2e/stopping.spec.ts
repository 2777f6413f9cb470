/** The product is asked to stop while its wallet provider does not answer: every call is answered, and nothing waits for the provider. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { conversationOf, start } from '@app/testing/journeys';

/** Much longer than this suite runs: a call that waits for the provider does not return. */
const PROVIDER_TIMEOUT_MS = String(3_600_000);
const WITHIN_MS = 180_000;

/** A provider that accepts connections and never answers. */
class SilentServer {
  readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    // Reason for the assertion: a listening TCP server has an address and a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await once(this.server.close(), 'close');
  }
}

let deployment: Deployment;
const silent = new SilentServer();
afterAll(() => silent.stop());

const nearIntents = (url: string) => ({
  WALLET_PROVIDER: 'near-intents',
  NEAR_RPC_URL: `${url}/near`,
  ONE_CLICK_URL: url,
  SOLVER_RELAY_URL: `${url}/relay`,
  PROVIDER_TIMEOUT_MS,
});

async function started(env: Record<string, string>): Promise<TestClient> {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { DRAIN_SECONDS: '1', LOG_LEVEL: 'silent', ...env },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  return deployment.newUser();
}

/** Makes calls that need the provider, one of them in a run, and stops the product meanwhile; returns the answers. */
async function stopMeanwhile(user: TestClient, underWay: () => Promise<true | null>) {
  await start(user, await conversationOf(user), 'price of NEAR');
  const calls = [user.post('/wallet'), user.post('/wallet'), user.get('/wallet/withdrawals/sources')];
  await until('the calls', underWay);
  const askedAtMs = performance.now();
  const stopped = deployment.stop();
  // It may have stopped listening by now.
  const late = await Promise.all([user.post('/wallet'), user.get('/budget')].map((call) => call.catch(() => null)));
  const answers = await Promise.all(calls);
  await stopped;
  const tookMs = performance.now() - askedAtMs;
  process.stdout.write(
    `stopped after ${Math.round(tookMs)} ms; answers: ${answers.map(({ status }) => status).join(', ')}\n`,
  );
  return { answers, late };
}

function expectServedOrNot({ answers, late }: Awaited<ReturnType<typeof stopMeanwhile>>): void {
  for (const { status, body } of answers) {
    expect([200, 404, 503]).toContain(status);
    if (status === 503)
      expect(body).toMatchObject({
        retryable: true,
        reason: expect.stringMatching(/^(internal|provider_unavailable)$/),
      });
  }
  for (const answer of late) {
    if (answer !== null) expect(answer).toMatchObject({ status: 503, body: { reason: 'internal', retryable: true } });
  }
}

describe('a product that stops while its provider is away', () => {
  it(
    'which answers nothing, by the fault',
    async () => {
      const user = await started({});
      await user.post('/wallet');
      await deployment.sandbox('PUT', 'faults', { provider: { down: true } });
      expectServedOrNot(await stopMeanwhile(user, async () => true));
    },
    WITHIN_MS,
  );

  it(
    'which listens no more',
    async () => {
      const closed = new SilentServer();
      const url = await closed.start();
      await closed.stop();
      const user = await started(nearIntents(url));
      expectServedOrNot(await stopMeanwhile(user, async () => true));
    },
    WITHIN_MS,
  );

  it(
    'which takes connections and says nothing',
    async () => {
      const user = await started(nearIntents(await silent.start()));
      expectServedOrNot(await stopMeanwhile(user, async () => (silent.sockets.size > 0 ? true : null)));
    },
    WITHIN_MS,
  );
});
