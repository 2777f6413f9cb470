/**
 * SIGKILL of everything that `npm start` runs, in the middle of runs and at separate points: after a restart it
 * continues where it was.
 */
import { readSecrets } from '@app/data-folder';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import type { ProbePoint } from '@app/runtime';
import { requestJson, TestClient } from '@app/testing/client';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { auditJournal, auditOperations, settled, unbalanced, unlikeAReplay, openedEvents } from '@app/testing/audits';
import { Journey, seededRandom } from '@app/testing/journeys';
import { jsonOf, parley } from '../deployment/cli';
import { keepAlive } from './keep-alive';
import { KillOrders, type KillOrder } from './kill-orders';
import { MoneyJourney } from './money-journey';

const full = process.env['FIGURES'] === 'full';
/** The watchdog reclaims what a crash left within one round, and leases end. */
const QUIET_MS = 12_000;
const START_WITHIN_MS = 180_000;

/** Passes of each point that a process certainly reaches in a journey. */
const reached: readonly { readonly point: ProbePoint; readonly nths: readonly number[] }[] = [
  ...(['append:before', 'append:after', 'projection:before-commit', 'projection:after-commit'] as const).map(
    (point) => {
      return { point, nths: [1, 2, 3, 5, 8] };
    },
  ),
  ...(['model:before', 'model:after'] as const).map((point) => ({ point, nths: [1, 2, 3] })),
  ...(['tool:before', 'tool:after'] as const).map((point) => ({ point, nths: [1] })),
  ...(['provider:before', 'provider:after'] as const).map((point) => ({ point, nths: [1, 2, 3] })),
];
const ordersInTurn = reached.flatMap(({ point, nths }) => nths.map((nth): KillOrder => ({ point, nth })));
const second: KillOrder = { point: 'append:after', nth: 2 };
/** In each round the standalone process dies during the journey, and once more soon after its restart. */
const ROUNDS = full ? ordersInTurn : [ordersInTurn[Math.floor(Math.random() * ordersInTurn.length)]!];

let folder: string;
let orders: KillOrders;
let standalone: TestProcess;
let baseUrl: string;
const dataDir = (): string => join(folder, 'data');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-standalone-'));
  orders = new KillOrders(folder);
  const [port, managementPort] = await freePorts(2);
  baseUrl = `http://127.0.0.1:${port}`;
  standalone = new TestProcess({
    app: 'standalone',
    cwd: folder,
    env: { ...orders.env, PORT: String(port), MANAGEMENT_PORT: String(managementPort), PARLEY_DATA_DIR: dataDir() },
    ready: async (output) => output.includes('Parley is ready') && isReady(baseUrl),
  });
  await standalone.start();
}, START_WITHIN_MS);
afterAll(async () => {
  await standalone.stop();
  await rm(folder, { recursive: true });
}, START_WITHIN_MS);

/** The user whose token `npm start` prints. The token stays valid over restarts. */
async function demoUser(): Promise<TestClient> {
  // Reason for the assertion: the contents of the file are specified (docs/decisions/configuration-and-start.md).
  const access = JSON.parse(await readFile(join(dataDir(), 'sandbox.json'), 'utf8')) as Record<string, string>;
  return new TestClient(baseUrl, access['partnerKey']!, access['userToken']!, access['userId']!);
}

test('parley works on the data folder that it runs on', async () => {
  const run = (...args: string[]) => parley({ PARLEY_DATA_DIR: dataDir() }, [...args, '--json'], folder);
  const { keyId } = jsonOf<{ keyId: string }>(
    await run('keys', 'mint', '--label', 'own', '--reason', 'a test', '--yes'),
  );
  const { data } = jsonOf<{ data: { keyId: string; label: string }[] }>(await run('keys', 'list'));
  expect(data.map(({ label }) => label).sort()).toEqual(['own', 'sandbox']);
  expect(data.map((key) => key.keyId)).toContain(keyId);
});

test('killed in the middle of a run and started again: the run completes', async () => {
  const client = await demoUser();
  await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: 3_000 } });
  const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
  const input = { text: 'repeat after me: so it goes on' };
  const { body: run } = await client.post<{ runId: string }>('/agent-runs', { conversationId: conversation.id, input });
  await sleep(1_000);
  await standalone.kill('SIGKILL');
  // The files that the killed process left in the folder name no running process.
  expect(await parley({ PARLEY_DATA_DIR: dataDir() }, ['keys', 'list'], folder)).toMatchObject({ code: 1 });
  await standalone.start();
  const deadline = performance.now() + START_WITHIN_MS;
  for (let status: unknown = 'running'; status !== 'completed'; await sleep(50)) {
    const { body } = await client.get<{ status: string; response: unknown }>(`/agent-runs/${run.runId}`);
    ({ status } = body);
    expect(['queued', 'running', 'completed']).toContain(status);
    if (status === 'completed') expect(body.response).toEqual({ text: 'so it goes on', truncated: false });
    expect(performance.now()).toBeLessThan(deadline);
  }
  await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: null } });
});

test(
  'killed at points of a journey, again and again: everything comes to its end once',
  async () => {
    const journeys: Journey[] = [];
    const confirmed: string[] = [];
    for (const [seed, first] of ROUNDS.entries()) {
      const client = await demoUser();
      const journey = new Journey(client, seededRandom(seed));
      const money = new MoneyJourney(client, journey);
      journeys.push(journey);
      const kept = keepAlive(standalone);
      try {
        await orders.giveNext('standalone', second);
        await orders.give(standalone.pid, first);
        await Promise.all([journey.walk(), money.walk()]);
      } finally {
        await kept.leave();
        await orders.giveNext('standalone', null);
        await journey.close();
      }
      confirmed.push(...money.confirmed);
    }
    await sleep(QUIET_MS);
    expect(await standalone.stop()).toBe(0);
    const audit = await auditStores(journeys, confirmed);
    process.stdout.write(
      `reliability 1, standalone: ${(await orders.carriedOut()).length} kills of everything at once, ${audit.lost.length} lost, ` +
        `${audit.doubled.length + audit.money.length} doubled, ${audit.stuck.length + audit.left.length} stuck, ${audit.gaps.length} gaps\n`,
    );
    const nothing = {
      lost: [],
      doubled: [],
      stuck: [],
      gaps: [],
      books: [],
      left: [],
      unlike: [],
      money: [],
      faults: [],
    };
    expect(audit).toEqual(nothing);
    expect((await orders.carriedOut()).length).toBeGreaterThanOrEqual(ROUNDS.length);
  },
  120_000 + ROUNDS.length * 60_000,
);

/** Audits the stores that the stopped standalone process left in its data folder. */
async function auditStores(journeys: readonly Journey[], confirmed: readonly string[]) {
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir(), 'postgres') });
  const eventStoreUrl = `unix:${join(folder, 'es.sock')}`;
  const eventStore = new TestProcess({
    app: 'event-store',
    env: { DATABASE_URL: postgres.url('parley'), EVENT_STORE_LISTEN: eventStoreUrl },
    ready: (output) => output.includes('event store ready'),
  });
  try {
    await eventStore.start();
    const { events, left } = await settled(postgres.url('parley'), eventStoreUrl);
    const acknowledged = journeys.flatMap((journey) => journey.acknowledged);
    const readers = journeys.flatMap((journey) => journey.readers);
    const delivered = readers.map(({ conversationId, reader }) => ({ conversationId, seen: reader.seen }));
    const unlike = await unlikeAReplay(postgres.url('parley'), events);
    const faults = readers.flatMap(({ reader }) => reader.faults);
    const money = [...(await unbalanced(postgres.url('parley'))), ...auditOperations(events, confirmed)];
    return {
      ...auditJournal(
        await openedEvents(postgres.url('parley'), events, (await readSecrets(dataDir()))?.secretKey),
        acknowledged,
        delivered,
      ),
      left,
      unlike,
      money,
      faults,
    };
  } finally {
    await eventStore.stop();
    await postgres.stop();
  }
}
