import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRunningStores } from '@app/data-folder';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { connectEventStore, encodeEvent, EventStore } from '@app/event-store';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { Client } from 'pg';
import {
  type Approval,
  approve,
  asking,
  confirm,
  defined,
  giveInput,
  holdings,
  occurrencesOf,
  outcomeOf,
  prepare,
  prompt,
  untilEnded,
  untilFired,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { requestJson, TestClient } from '@app/testing/client';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { until } from '@app/testing/until';
import { jsonOf, parley, parleyMain } from './cli';

/** Enough that a copy of one append after the other can be killed halfway. */
const fillerConversations = 240;
const fillersAtOnce = 8;
/** The shares of all events that the target holds when the migration is killed. */
const killedAt = [0.1, 0.5, 0.9, 1];
const startedWithinMs = 120_000;

let folder: string;
let baseUrl: string;
let ports: Record<string, string>;
let database: TestDatabase;
let store: EventStoreServer;
let service: TestProcess;
let user: TestClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-migrate-'));
  const [port, managementPort] = await freePorts(2);
  ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), RATE_LIMIT_USER_PER_MINUTE: '1000000' };
  baseUrl = `http://127.0.0.1:${port}`;
  database = await createTestDatabase();
  store = await startEventStoreServer({ databaseUrl: database.url, listen: { host: '127.0.0.1', port: 0 } });
  service = standalone({});
  await service.start();
  user = await demoUser();
  await fill();
}, 2 * startedWithinMs);

afterAll(async () => {
  await service.stop();
  await store.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const target = (): string => `esdb://${store.address}?tls=false`;

/** `npm start` on the data folder. */
function standalone(env: Record<string, string>): TestProcess {
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl);
  return new TestProcess({ app: 'standalone', cwd: folder, env: { LOG_LEVEL: 'warn', ...ports, ...env }, ready });
}

async function demoUser(): Promise<TestClient> {
  // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
  const access = JSON.parse(await readFile(join(folder, '.parley', 'sandbox.json'), 'utf8')) as Record<string, string>;
  return new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', access['userId'] ?? '');
}

let automationId: string;

/** Creates conversations with runs, money that moved and money that did not, an automation that fired, and many plain conversations. */
async function fill(): Promise<void> {
  await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 }, provider: prompt });
  await user.post('/wallet');
  const { body: conversation } = await user.post<{ id: string }>('/conversations', { title: 'Money' });
  const asked = await asking(user, conversation.id, 'withdraw 1.5 USDC');
  await approve(user, asked.approval);
  await untilEnded(user, asked.runId);
  await outcomeOf(user, asked.approval.id);
  await asking(user, conversation.id, 'swap 5 USDC to NEAR');
  const prepared = await prepare(user, usdc, '2000000');
  await confirm(user, prepared);
  await untilOperation(user, prepared.operationId);
  automationId = (await defined(user)).id;
  await giveInput(user, automationId, 'signal');
  await untilFired(user, automationId, 1);
  for (let made = 0; made < fillerConversations; made += fillersAtOnce)
    await Promise.all(
      Array.from({ length: fillersAtOnce }, (_, at) => user.post('/conversations', { title: `${made + at}` })),
    );
}

/** All answers of the API, byte for byte, and the wallet's holdings. */
async function everything(): Promise<Record<string, unknown>> {
  const text = async (path: string): Promise<string> => (await fetch(user.url(path), { headers: user.headers })).text();
  const paths = [
    '/conversations?limit=100',
    '/agent-runs?limit=50',
    '/approvals?limit=100',
    '/financial-operations?limit=100',
    '/automations',
    `/automations/${automationId}`,
    `/automations/${automationId}/occurrences`,
    '/budget',
  ];
  const { body } = await user.get<{ data: { conversationId: string }[] }>('/agent-runs?limit=50');
  const journals = [
    ...new Set(body.data.map(({ conversationId }) => `/conversations/${conversationId}/events`)),
  ].sort();
  const found: [string, unknown][] = [['holdings', await holdings(user)]];
  for (const path of [...paths, ...journals]) found.push([path, await text(path)]);
  return Object.fromEntries(found);
}

/** Number of events in the event store of this database. */
async function countEvents(databaseUrl: string, but = ''): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM event_store.events WHERE stream <> $1', [
    but,
  ]);
  await client.end();
  return Number(rows[0]?.count);
}

const eventsThere = (): Promise<number> => countEvents(database.url);
/** Number of events that the log of all events covers. */
const coveredThere = (): Promise<number> => countEvents(database.url, 'audit-checkpoints');

/** Starts the migration, and kills it once the target holds this many events. */
async function killedMigration(events: number): Promise<void> {
  const args = [parleyMain, 'migrate-events', '--to', target()];
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until(
    `${events} events`,
    async () => (child.exitCode !== null || (await eventsThere()) >= events ? true : null),
    startedWithinMs,
  );
  child.kill('SIGKILL');
  await ended;
}

interface Migrated {
  readonly target: string;
  readonly events: number;
  readonly sha256: string;
}

describe('parley migrate-events', () => {
  let before: Record<string, unknown>;
  let migrated: Migrated;
  let covered: number;

  it('refuses while the service runs on the folder', async () => {
    const outcome = await parley({}, ['migrate-events', '--to', target()], folder);
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\.parley is in use by process /),
    });
    expect(await eventsThere()).toBe(0);
  });

  it('refuses a target that is no copy, and one that is no event store', async () => {
    before = await everything();
    expect(await service.stop()).toBe(0);
    const other = await createTestDatabase();
    const stranger = await startEventStoreServer({ databaseUrl: other.url, listen: { host: '127.0.0.1', port: 0 } });
    const foreign = new EventStore(connectEventStore(`esdb://${stranger.address}?tls=false`));
    await foreign.append('counter-1', [encodeEvent(counterKind, counted(1), someCause())], -1);
    await foreign.dispose();
    const outcome = await parley({}, ['migrate-events', '--to', `esdb://${stranger.address}?tls=false`], folder);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the target is not a copy of the source'),
    });
    await stranger.close();
    await other.drop();
    expect(await parley({}, ['migrate-events', '--to', 'http://store'], folder)).toMatchObject({ code: 2 });
  });

  it('goes on after kill -9, however often, and copies everything once', async () => {
    const total = await sourceEvents();
    for (const part of killedAt) await killedMigration(Math.floor(total * part));
    const outcome = await parley({}, ['migrate-events', '--to', target(), '--json'], folder);
    migrated = jsonOf<Migrated>(outcome);
    const [place] = target().split('?');
    expect(migrated).toEqual({ target: place, events: total, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(outcome.stderr).toMatch(/verifying: \d+ of \d+ events/);
    expect(outcome.stderr).toMatch(/filling read models: (\d+) of \1 positions/);
    expect(await eventsThere()).toBe(total);
    covered = await coveredThere();
    console.log(`migrate-events: ${total} events, killed ${killedAt.length} times on the way, hash ${migrated.sha256}`);
  }, 900_000);

  it('is done when it is done', async () => {
    expect(jsonOf(await parley({}, ['--json', 'migrate-events', '--to', target()], folder))).toEqual(migrated);
    expect(await eventsThere()).toBe(migrated.events);
  });

  it('keeps npm start from going on with the store that was left', async () => {
    await expect(standalone({}).start()).rejects.toThrow('set EVENTSTORE_URL to that store');
  });

  it('leaves everything as it was, and nothing is handled twice', async () => {
    service = standalone({ EVENTSTORE_URL: target() });
    await service.start();
    const after = await until('the read models', async () => {
      const found = await everything();
      return JSON.stringify(found) === JSON.stringify(before) ? found : null;
    }).catch(() => everything());
    expect(after).toEqual(before);
    // A running service makes checkpoints.
    expect(await coveredThere()).toBe(covered);
  });

  it('lets the automation and the waiting run go on', async () => {
    await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 }, provider: prompt });
    await giveInput(user, automationId, 'signal');
    await untilFired(user, automationId, 2);
    expect(await occurrencesOf(user, automationId)).toHaveLength(2);
    const { body } = await user.get<{ data: Approval[] }>('/approvals?status=pending');
    const [waiting] = body.data;
    if (waiting === undefined) throw new Error('no approval waits');
    expect(await approve(user, waiting)).toMatchObject({ status: 200 });
    await untilEnded(user, String(waiting['runId']));
    expect(await outcomeOf(user, waiting.id)).toMatchObject({ status: 'settled' });
  });

  it('keeps the log of all events, which is proven over the other store', async () => {
    const verified = async () => {
      await wantCheckpoint();
      const { code, stdout } = await parley({ EVENTSTORE_URL: target() }, ['audit', 'verify'], folder);
      const proven = Number(/^PROVEN: the first (\d+) events/m.exec(stdout)?.[1] ?? 0);
      return code === 0 && proven > covered ? stdout : null;
    };
    expect(await until('a checkpoint of what came later', verified)).toContain(
      'Events read from the event store at EVENTSTORE_URL.',
    );
  });
});

/** Requests a checkpoint, because otherwise there is only one a minute. */
async function wantCheckpoint(): Promise<void> {
  const stores = await findRunningStores(join(folder, '.parley'));
  const client = new Client({ connectionString: stores?.databaseUrl });
  await client.connect();
  await client.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
  await client.end();
}

/** Counts the events of the stopped folder, as an operator could. */
async function sourceEvents(): Promise<number> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, '.parley', 'postgres') });
  const count = await countEvents(postgres.url('parley'));
  await postgres.stop();
  return count;
}
