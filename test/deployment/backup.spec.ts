import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settled, unbalanced, unlikeAReplay } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';
import { embeddedDatabaseName, embeddedPostgresFolder, findRunningStores } from '@app/data-folder';
import { startEmbeddedPostgres } from '@app/embedded-postgres';
import { startEventStoreServer } from '@app/event-store-server';
import { confirm, conversationOf, prepare, raw, start, untilEnded, untilOperation, usdc } from '@app/testing/journeys';
import { operatorOf, requestJson, TestClient } from '@app/testing/client';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { Client } from 'pg';
import { until } from '@app/testing/until';
import { jsonOf, parley } from './cli';

const startedWithinMs = 120_000;
const lanes = 4;

interface BackupMade {
  readonly events: number;
  readonly position: number;
  readonly rows: number;
  readonly artifacts: number;
}

let folder: string;
let baseUrl: string;
let ports: Record<string, string>;
let service: TestProcess;
let user: TestClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
  const [port, managementPort] = await freePorts(2);
  ports = {
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_USER_PER_MINUTE: '100000',
  };
  baseUrl = `http://127.0.0.1:${port}`;
  service = await serve('live');
  // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
  const access = JSON.parse(await readFile(join(folder, 'live', 'sandbox.json'), 'utf8')) as Record<string, string>;
  user = new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', access['userId'] ?? '');
  await user.post('/wallet');
}, startedWithinMs);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the service on a data folder below the test's own. @param degraded whether its log is held */
async function serve(name: string, degraded = false): Promise<TestProcess> {
  const env = { ...ports, PARLEY_DATA_DIR: join(folder, name) };
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl, degraded);
  const made = new TestProcess({ app: 'standalone', cwd: folder, env, ready });
  await made.start();
  return made;
}

const dataDir = (name: string) => ({ PARLEY_DATA_DIR: join(folder, name) });
const keysOf = (backup: string) => join(folder, 'keys', backup);
const backupTo = async (name: string) => {
  const args = ['backup', '--to', join(folder, name), '--keys-to', keysOf(name), '--json'];
  return jsonOf<BackupMade>(await parley(dataDir('live'), args, folder));
};
const restoreFrom = async (backup: string, name: string, keys = ['--keys-from', keysOf(backup)]) =>
  parley(dataDir(name), ['restore', '--from', join(folder, backup), ...keys, '--json'], folder);

/** Makes conversations, runs and withdrawals one after the other in a few lanes until it is stopped; returns what was acknowledged. */
function underLoad() {
  const acknowledged: { readonly conversationId: string; readonly runId: string; readonly atMs: number }[] = [];
  let isOver = false;
  const lane = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const conversationId = await conversationOf(user);
      const { body, status } = await start(user, conversationId, `repeat after me: ${count}`);
      if (status === 202) acknowledged.push({ conversationId, runId: body.runId, atMs: performance.now() });
      const prepared = await prepare(user, usdc, '1');
      await confirm(user, prepared);
      await untilOperation(user, prepared.operationId);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  return {
    acknowledged,
    untilMore: async (count: number) => {
      const wanted = acknowledged.length + count;
      await until(`${wanted} runs`, () => Promise.resolve(acknowledged.length >= wanted ? true : null));
    },
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}

/** Opens a data folder's stores without the service, so that nothing changes in them. */
async function onStoresOf<Value>(name: string, look: (databaseUrl: string, eventStoreUrl: string) => Promise<Value>) {
  const postgres = await startEmbeddedPostgres({ dataDir: embeddedPostgresFolder(join(folder, name)) });
  const databaseUrl = await postgres.owned(embeddedDatabaseName);
  const listen = { socketPath: join(folder, `${name}.sock`) };
  const server = await startEventStoreServer({ databaseUrl, listen });
  try {
    return await look(databaseUrl, server.address);
  } finally {
    await server.close();
    await postgres.stop();
  }
}

/** Accounts whose balance is not the sum of their transfers. */
const unbooked = `
  SELECT account, token_id FROM (
    SELECT account, token_id, amount FROM ledger_balances
    UNION ALL SELECT to_account, token_id, -amount FROM ledger_transfers
    UNION ALL SELECT from_account, token_id, amount FROM ledger_transfers) AS bookings
  GROUP BY account, token_id HAVING sum(amount) <> 0`;

async function rowsOf<Row extends object>(databaseUrl: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

it(
  'takes a backup under load that is the deployment of one instant, and restores it elsewhere, where it goes on',
  async () => {
    const conversationId = await conversationOf(user);
    const artifacts = `/conversations/${conversationId}/artifacts`;
    const kept = await raw(user, 'POST', `${artifacts}?name=notes.txt`, { body: 'It rained.' });
    expect(kept.status).toBe(201);
    const load = underLoad();
    await load.untilMore(2 * lanes);
    const beganAtMs = performance.now();
    const made = await backupTo('under-load');
    await load.untilMore(lanes);
    await load.stop();
    const stores = await findRunningStores(join(folder, 'live'));
    const { events: live, left } = await settled(stores?.databaseUrl ?? '', stores?.eventStoreUrl ?? '');
    expect(left).toEqual([]);
    expect(live.length).toBeGreaterThan(made.events);

    expect(await restoreFrom('under-load', 'restored')).toMatchObject({ code: 0 });
    await onStoresOf('restored', async (databaseUrl, eventStoreUrl) => {
      // The journals: all events up to one position, as they are in the live store, and everything acknowledged before.
      const events = await readAllEvents(eventStoreUrl);
      expect(events).toEqual(live.filter(({ position }) => position <= made.position));
      const ids = new Set(events.map(({ stream }) => stream));
      const before = load.acknowledged.filter(({ atMs }) => atMs < beganAtMs);
      expect(before.length).toBeGreaterThan(0);
      for (const { conversationId } of before) expect(ids).toContain(`conversation-${conversationId}`);
      // The read models: the state after those events, as far as they had been projected.
      const checkpoints = await rowsOf<{ position: string }>(
        databaseUrl,
        'SELECT DISTINCT position FROM read_model_places',
      );
      expect(checkpoints).toHaveLength(1);
      const projected = Number(checkpoints[0]?.position);
      expect(projected).toBeLessThanOrEqual(made.position);
      expect(
        await unlikeAReplay(
          databaseUrl,
          events.filter(({ position }) => position <= projected),
        ),
      ).toEqual([]);
      // The ledger: balances are the sums of the transfers, and every order is known to a journal.
      expect(await rowsOf(databaseUrl, unbooked)).toEqual([]);
      const orders = await rowsOf<{ orders: string }>(databaseUrl, 'SELECT count(*) AS orders FROM sandbox_orders');
      const submitted = events.filter(({ type }) => type === 'submission.journaled').length;
      expect(Number(orders[0]?.orders)).toBeGreaterThan(0);
      expect(Number(orders[0]?.orders)).toBeLessThanOrEqual(submitted);
    });

    await service.stop();
    service = await serve('restored', true);
    const first = load.acknowledged[0];
    expect(await untilEnded(user, first?.runId ?? '')).toMatchObject({ status: 'completed' });
    const content = await fetch(user.url(`${artifacts}/${String(kept.body['id'])}/content`), { headers: user.headers });
    expect(await content.text()).toBe('It rained.');
    const { body: next } = await start(user, await conversationOf(user));
    expect(await untilEnded(user, next.runId)).toMatchObject({ status: 'completed' });
    const restored = await findRunningStores(join(folder, 'restored'));
    const end = await settled(restored?.databaseUrl ?? '', restored?.eventStoreUrl ?? '');
    expect(end.left).toEqual([]);
    expect(await unbalanced(restored?.databaseUrl ?? '')).toEqual([]);
  },
  5 * startedWithinMs,
);

/** The checkpoints that a data folder's log has signed, as name and size, newest last. */
async function signedIn(name: string): Promise<readonly string[]> {
  const stores = await findRunningStores(join(folder, name));
  const rows = await rowsOf<{ note: string }>(
    stores?.databaseUrl ?? '',
    `SELECT convert_from(data, 'UTF8')::json->>'note' AS note FROM event_store.events
     WHERE stream = 'audit-checkpoints' AND type = 'checkpoint.signed' ORDER BY revision`,
  );
  return rows.map(({ note }) => note.split('\n', 2).join(' '));
}

async function partsOf(): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${ports['MANAGEMENT_PORT']}/readyz`);
  return ((await answer.json()) as { checks: Record<string, string> }).checks; // the endpoint's own shape
}

async function resume(name: string, as: string): Promise<void> {
  const args = ['audit', 'resume', '--as', as, '--reason', 'a test', '--yes', '--json'];
  jsonOf(await parley({ ...ports, ...dataDir(name) }, args, folder));
}

it(
  'lets a restored copy sign nothing before it is told what it is, and then under a name of its own',
  async () => {
    const before = await signedIn('restored');
    expect(await partsOf()).toMatchObject({ 'transparency log (restored)': 'degraded' });
    const doctor = await parley({ ...ports, ...dataDir('restored') }, ['doctor', '--json'], folder);
    expect(doctor.stdout).toContain('parley audit resume --as copy');
    await resume('restored', 'copy');
    const [former = ''] = before;
    const after = await until('a checkpoint of the copy', async () => {
      const signed = await signedIn('restored');
      return signed.length > before.length ? signed : null;
    });
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)?.split(' ')[0]).not.toBe(former.split(' ')[0]);
    expect(await partsOf()).not.toHaveProperty('transparency log (restored)');
    const verified = await parley({ ...ports, ...dataDir('restored') }, ['audit', 'verify'], folder);
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/PROVEN: the first \d+ events/) as string,
    });
  },
  2 * startedWithinMs,
);

it(
  'holds the log of a data folder that was copied, and not of one that was given another name',
  async () => {
    await service.stop();
    await cp(join(folder, 'restored'), join(folder, 'copied'), { recursive: true, preserveTimestamps: true });
    await rename(join(folder, 'restored'), join(folder, 'renamed'));
    service = await serve('renamed');
    expect(Object.keys(await partsOf()).filter((name) => name.startsWith('transparency log'))).toEqual([]);
    await service.stop();
    service = await serve('copied', true);
    expect(await partsOf()).toMatchObject({ 'transparency log (copied)': 'degraded' });
    await resume('copied', 'successor');
    const [origin] = new Set((await signedIn('copied')).map((signed) => signed.split(' ')[0]).slice(-1));
    const { body } = await start(user, await conversationOf(user));
    expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
    const before = await signedIn('copied');
    const signed = await until('a checkpoint of the successor', async () => {
      await rowsOf(
        (await findRunningStores(join(folder, 'copied')))?.databaseUrl ?? '',
        `SELECT pg_notify('parley_checkpoint_wanted', '')`,
      );
      const now = await signedIn('copied');
      return now.length > before.length ? now : null;
    });
    expect(signed.at(-1)?.split(' ')[0]).toBe(origin);
  },
  3 * startedWithinMs,
);

it('keeps the keys of the words out of the folder, in a file that only its owner reads, and asks where it goes', async () => {
  expect((await stat(keysOf('under-load'))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'under-load', 'tables'))).not.toContain('public.sealing_keys.copy.gz');
  const nowhere = ['backup', '--to', join(folder, 'keyless')];
  for (const args of [nowhere, [...nowhere, '--keys-to', keysOf('keyless'), '--without-keys']])
    expect(await parley(dataDir('copied'), args, folder)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^say where the keys of the words of persons go, .+ --keys-to .+ --without-keys\n$/,
      ) as string,
    });
  for (const [place, words] of [
    [join(folder, 'keyless', 'keys'), 'is in the folder of the backup'],
    [keysOf('under-load'), 'is there already'],
  ] as const)
    expect(await parley(dataDir('copied'), [...nowhere, '--keys-to', place], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(words) as string,
    });
  expect(existsSync(join(folder, 'keyless'))).toBe(false);
});

it(
  'restores a backup without its keys only where that is wanted: words are erased, nobody signs in, and the books hold',
  async () => {
    expect(await restoreFrom('under-load', 'keyless', [])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('name it with --keys-from, or say --without-keys') as string,
    });
    const both = await restoreFrom('under-load', 'keyless', ['--keys-from', keysOf('under-load'), '--without-keys']);
    expect(both).toMatchObject({ code: 2 });
    expect(await restoreFrom('under-load', 'keyless', ['--without-keys'])).toMatchObject({ code: 0 });
    await service.stop();
    service = await serve('keyless', true);
    expect((await user.get('/conversations')).status).toBe(503);
    const { databaseUrl = '' } = (await findRunningStores(join(folder, 'keyless'))) ?? {};
    const left = 'SELECT 1 FROM sealing_keys WHERE wrapped IS NOT NULL';
    expect(await rowsOf(databaseUrl, left)).toEqual([]);
    const sandbox = <Body>(method: string, path: string, body?: object) =>
      requestJson<Body>(method, `${baseUrl}/sandbox/v1/${path}`, body).then((answer) => answer.body);
    const operator = await operatorOf({ baseUrls: [baseUrl], sandbox }, ['audit']);
    const [made] = await rowsOf<{ id: string }>(
      databaseUrl,
      "SELECT substr(key_id, 3) AS id FROM sealing_keys WHERE key_id LIKE 'c/%'",
    );
    const { body } = await operator.get(`/streams/conversation-${made?.id}/events?limit=20`);
    expect(JSON.stringify(body)).toContain('"title":{"erased":true}');
    expect(JSON.stringify(body)).not.toContain('repeat after me');
    const verified = await parley({ ...ports, ...dataDir('keyless') }, ['audit', 'verify'], folder);
    expect(verified.stdout).toMatch(/PROVEN: the first \d+ events/);
    expect(await rowsOf(databaseUrl, left)).toEqual([]);
    // A start never makes a key of identities where there are some.
    await rowsOf(databaseUrl, "DELETE FROM sealing_keys WHERE key_id = 'd/identity'");
    await service.stop();
    await expect(serve('keyless', true)).rejects.toThrow(/the key d\/identity .+ second account/);
    service = await serve('copied', true);
  },
  3 * startedWithinMs,
);

it('says in words what it cannot copy where the events are elsewhere', async () => {
  const remote = { EVENTSTORE_URL: 'esdb://admin:hunter2@127.0.0.1:9?tls=false' };
  const outcome = await parley(
    { ...dataDir('copied'), ...remote },
    ['backup', '--to', join(folder, 'remote'), '--without-keys'],
    folder,
  );
  expect(outcome.code).toBe(1);
  expect(outcome.stderr).toMatch(
    /^the events are in another event store \(esdb:\/\/127\.0\.0\.1:9\): parley backup copies the events/,
  );
  expect(outcome.stderr).not.toContain('    at ');
  expect(outcome.stderr).not.toContain('hunter2');
});

it(
  'refuses a folder that is not empty, a backup that is not finished or not what was written; goes on after one that was cut off',
  async () => {
    await mkdir(join(folder, 'used'));
    await writeFile(join(folder, 'used', 'mine'), '');
    const toUsed = ['backup', '--to', join(folder, 'used'), '--keys-to', keysOf('used')];
    const intoUsed = await parley(dataDir('copied'), toUsed, folder);
    expect(intoUsed).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') as string });
    expect(await restoreFrom('used', 'other', [])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('holds no finished backup') as string,
    });
    expect(await restoreFrom('under-load', 'used')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty') as string,
    });

    await mkdir(join(folder, 'cut-off', 'restoring'), { recursive: true });
    const start = new TestProcess({
      app: 'standalone',
      cwd: folder,
      env: { ...ports, ...dataDir('cut-off') },
      ready: async () => false,
    });
    await expect(start.start()).rejects.toThrow('a restore into');
    expect(await restoreFrom('under-load', 'cut-off')).toMatchObject({ code: 0 });

    const file = join(folder, 'under-load', 'tables', 'public.runs.copy.gz');
    const bytes = await readFile(file);
    bytes[bytes.length - 9] = 1 + (bytes[bytes.length - 9] ?? 0);
    await writeFile(file, bytes);
    expect(await restoreFrom('under-load', 'other')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not what was written') as string,
    });
  },
  2 * startedWithinMs,
);
