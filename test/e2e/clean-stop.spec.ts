/** A process that is asked to stop in the middle of a run releases its lease at once, while it still serves its last requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { startServing, startWorking } from '@app/composition';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { another, journal, runHeldBy, sql, untilEvents } from '@app/testing/journeys';

const WITHIN_MS = 180_000;
/** Much longer than this suite runs, so only a lease that is released before the drain ends can be taken over. */
const DRAIN_SECONDS = '600';
const STEP_MS = 5_000;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { DRAIN_SECONDS, CONNECTION_QUIET_SECONDS: DRAIN_SECONDS, LOG_LEVEL: 'silent' },
  });
  // A lease that is not released outlasts every wait of this suite.
  await sql(
    deployment,
    `CREATE FUNCTION last_longer() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.expires_at > now() + interval '2 s' THEN NEW.expires_at := now() + interval '10 minutes'; END IF;
       RETURN NEW;
     END $$`,
  );
  await sql(
    deployment,
    'CREATE TRIGGER last_longer BEFORE INSERT OR UPDATE ON execution_slots FOR EACH ROW EXECUTE FUNCTION last_longer()',
  );
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: STEP_MS } });
  user = await deployment.newUser();
}, WITHIN_MS);
afterAll(() => deployment.stop(), WITHIN_MS);

/** The run was taken over once and completed, with every step once; what its first worker had already streamed stays too. */
async function untilEndedOnce(conversationId: string): Promise<void> {
  await untilEvents(user, conversationId, 'run.ended', 1);
  const events = await journal(user, conversationId);
  const payloads = events.map(({ payload }) => payload);
  const count = (type: string) => payloads.filter((payload) => payload['type'] === type).length;
  expect(['run.claimed', 'run.ended'].map(count)).toEqual([2, 1]);
  const texts = payloads.filter(({ type }) => type === 'agent.message');
  expect(texts.filter(({ truncated }) => truncated === false)).toMatchObject([{ text: 'one two three' }]);
  expect(count('agent.step')).toBe(texts.length);
}

it(
  'so that another takes it up, and completes it with every step once',
  async () => {
    const configuration = await another(deployment);
    const { PORT: port } = configuration.env;
    const running = await startServing(configuration, { api: true, worker: true });
    const { conversationId } = await runHeldBy(running, deployment, user);
    // A request whose body never arrives in full keeps the process draining.
    const request = connect(port, '127.0.0.1');
    await once(request, 'connect');
    const { authorization = '', 'x-api-key': key = '' } = user.headers;
    const head = `POST /v1/users/${user.userId}/conversations HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nAuthorization: ${authorization}`;
    request.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);

    const askedAtMs = performance.now();

    const stopped = running.stop();
    await untilEvents(user, conversationId, 'run.claimed', 2);
    process.stdout.write(
      `a stopping process's run is taken up after ${Math.round(performance.now() - askedAtMs)} ms\n`,
    );

    request.destroy();
    await stopped;

    await untilEndedOnce(conversationId);
  },
  WITHIN_MS,
);

it(
  'also where the process is a worker and nothing else',
  async () => {
    const running = await startWorking(await another(deployment));
    const { conversationId } = await runHeldBy(running, deployment, user);
    await running.stop();
    await untilEndedOnce(conversationId);
  },
  WITHIN_MS,
);
