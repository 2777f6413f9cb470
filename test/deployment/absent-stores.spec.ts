/**
 * Stores that do not answer yet: api and worker start anyway, report which store they wait for, and work once it answers. A mistake that is
 * found only then is reported, and does not end them.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { startEventStoreServer } from '@app/event-store-server';
import { Client } from 'pg';
import { type AppName, freePorts, isReady, TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';

const WITHIN_MS = 300_000;
const undo: (() => Promise<unknown>)[] = [];

let postgres: EmbeddedPostgres;
let stores: { readonly DATABASE_URL: string; readonly EVENTSTORE_URL: string };
let startPostgres: () => Promise<void>;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-absent-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  startPostgres = async () => {
    postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), settings: { fsync: 'off' } });
  };
  await startPostgres();
  undo.push(() => postgres.stop());
  stores = { DATABASE_URL: postgres.url('later'), EVENTSTORE_URL: `unix:${join(folder, 'events.sock')}` };
  await postgres.stop();
}, WITHIN_MS);
afterAll(async () => {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
}, WITHIN_MS);

interface Started {
  readonly one: TestProcess;
  readonly url: string;
  readonly managementUrl: string;
}

/** Starts a process, and waits until it answers that it is alive. */
async function started(app: AppName, secretKey: string): Promise<Started> {
  const [port, managementPort] = await freePorts(2);
  const managementUrl = `http://127.0.0.1:${managementPort}`;
  const env = {
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    LOG_LEVEL: 'warn',
    ...stores,
    PARLEY_SECRET_KEY: secretKey,
  };
  const ready = (): Promise<boolean> =>
    fetch(`${managementUrl}/healthz`).then(
      ({ status }) => status === 200,
      () => false, // it does not listen yet
    );
  const one = new TestProcess({ app, env, ready });
  undo.push(() => one.stop());
  await one.start();
  return { one, url: `http://127.0.0.1:${port}`, managementUrl };
}

async function saidAt(url: string): Promise<{ code: number; body: unknown }> {
  const answer = await fetch(`${url}/readyz`);
  return { code: answer.status, body: await answer.json() };
}

/** Waits until both report this state of their database. */
async function databaseIs(all: readonly Started[], state: RegExp): Promise<void> {
  for (const { managementUrl } of all)
    await until(`database: ${state.source}`, async () => {
      const { code, body } = await saidAt(managementUrl);
      expect(code).toBe(503);
      return state.test(JSON.stringify(body)) || null;
    });
}

it(
  'api and worker wait for them, and say for what',
  async () => {
    const secretKey = randomBytes(32).toString('base64');
    const [api, worker, given] = await Promise.all([
      started('api', secretKey),
      started('worker', secretKey),
      started('worker', secretKey),
    ]);
    const checks = { database: 'away', 'event store': 'away' };
    // Partners learn that it waits; only its operator learns why.
    expect(await saidAt(api.url)).toEqual({ code: 503, body: { status: 'away', checks } });
    for (const { managementUrl } of [api, worker])
      expect(await saidAt(managementUrl)).toEqual({
        code: 503,
        body: {
          status: 'away',
          checks,
          reasons: {
            database: expect.stringMatching(
              /^PostgreSQL does not answer \(.+\): start it, or correct DATABASE_URL$/,
            ) as string,
            'event store': 'the event store does not answer: start it, or correct EVENTSTORE_URL',
          },
        },
      });
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
    const refused = await fetch(`${api.url}/v1/users`, { method: 'POST', headers: { 'x-request-id': 'my-own-id-1' } });
    expect([refused.status, refused.headers.get('x-request-id')]).toEqual([503, 'my-own-id-1']);
    expect(await refused.json()).toMatchObject({ reason: 'internal', requestId: 'my-own-id-1', retryable: true });
    const unnamed = await fetch(`${api.url}/v1/users/me`);
    expect(await unnamed.json()).toMatchObject({ requestId: unnamed.headers.get('x-request-id') });
    expect(await given.one.stop()).toBe(143);

    await startPostgres();
    const waiting = [api, worker];
    await databaseIs(waiting, /"database":"PostgreSQL refuses this service \(database .+later.+ does not exist\)/);
    for (const { one } of waiting)
      await until('a word of it', () => Promise.resolve(/does not exist/.test(one.output) || null));

    const admin = new Client({ connectionString: postgres.url('postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE later TEMPLATE template0');
    await admin.end();
    await databaseIs(waiting, /"checks":\{"database":"ok","event store":"away"\}/);

    const events = await startEventStoreServer({
      databaseUrl: stores.DATABASE_URL,
      listen: { socketPath: stores.EVENTSTORE_URL.slice('unix:'.length) },
    });
    undo.push(() => events.close());
    await until('the service', async () => (await isReady(api.url)) || null);
    await until('the worker', async () => (await isReady(worker.managementUrl)) || null);
    expect((await fetch(`${api.url}/openapi.json`)).status).toBe(200);
    for (const { one } of waiting) expect(await one.stop()).toBe(0);
  },
  WITHIN_MS,
);
