/**
 * PostgreSQL, the lock and the parent disappear while the event store runs: it answers accordingly, and recovers by
 * itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@app/embedded-postgres';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { EventStoreDBClient } from '@eventstore/db-client';
import { Client, type QueryResult } from 'pg';
import { collect, numbers, pause, Recorder, testEvent, testEvents, uniqueStream } from '@app/testing/event-store';
import { isRunning } from '@app/testing/processes';
import { eventStoreMain, spawnEventStore, startEventStoreChild } from './event-store-child';

let folder: string;
let postgres: EmbeddedPostgres;
const startPostgres = async (): Promise<void> => {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-outage-'));
  await startPostgres();
});
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  // A store that a failed test leaves open would keep the lock from the next one.
  for (const store of open.splice(0)) await store.close();
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

interface Running {
  server: EventStoreServer;
  client: EventStoreDBClient;
  close(): Promise<void>;
}

async function startStore(name: string): Promise<Running> {
  const server = await startEventStoreServer({
    databaseUrl: postgres.url('postgres'),
    listen: { socketPath: join(folder, `${name}.sock`) },
  });
  const client = new EventStoreDBClient({ endpoint: server.address }, { insecure: true });
  const close = async (): Promise<void> => {
    await client.dispose();
    await server.close();
  };
  open.push({ close });
  return { server, client, close };
}

/** Retries until the append succeeds, as the product's connection does. */
async function untilAppended(client: EventStoreDBClient, stream: string, n: number): Promise<void> {
  const event = testEvent(n);
  for (;;) {
    try {
      await client.appendToStream(stream, event);
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: 14 });
      await pause(20);
    }
  }
}

async function queryPostgres(sql: string): Promise<QueryResult<{ pid: number }>> {
  const db = new Client({ connectionString: postgres.url('postgres') });
  await db.connect();
  const result = await db.query<{ pid: number }>(sql);
  await db.end();
  return result;
}

test('with PostgreSQL away the store answers unavailable; back, it goes on by itself', async () => {
  const store = await startStore('restart');
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvents(3));
  const watcher = new EventStoreDBClient({ endpoint: store.server.address }, { insecure: true });
  const recorder = new Recorder(watcher.subscribeToStream(stream));
  await recorder.untilSaid('caughtUp');

  await postgres.stop();
  for (let attempt = 0; attempt < 3; attempt++) {
    const append = store.client.appendToStream(stream, testEvent(9));
    await expect(append).rejects.toMatchObject({ code: 14 });
  }
  await expect(collect(store.client.readStream(uniqueStream()))).rejects.toMatchObject({ type: 'unavailable' });
  await startPostgres();
  await untilAppended(store.client, stream, 3);
  await recorder.untilEvents(4);
  expect(numbers(recorder.events)).toEqual([0, 1, 2, 3]);
  expect(numbers(await collect(store.client.readStream(stream)))).toEqual([0, 1, 2, 3]);
  await watcher.dispose();
  await store.close();
});

test('the writer that loses its connection is fenced, reads the store again and goes on', async () => {
  const store = await startStore('fenced');
  const stream = uniqueStream();
  let appended = 0;
  for (let round = 0; round < 5; round++) {
    const burst = Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => store.client.appendToStream(stream, testEvent(n))),
    );
    await queryPostgres(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley event store writer'`,
    );
    const outcomes = await burst;
    appended += outcomes.filter(({ status }) => status === 'fulfilled').length;
    await untilAppended(store.client, stream, 99);
    appended++;
  }
  const stored = await collect(store.client.readStream(stream));
  // An append that failed may be stored all the same; an acknowledged one must be.
  expect(stored.length).toBeGreaterThanOrEqual(appended);
  expect(stored.map(({ event }) => Number(event?.revision))).toEqual(stored.map((_, n) => n));
  await store.close();
});

test('a second server waits for the first one to let the lock go', async () => {
  const first = await startStore('first');
  let secondIsReady = false;
  const starting = startStore('second').then((store) => {
    secondIsReady = true;
    return store;
  });
  await pause(700);
  expect(secondIsReady).toBe(false);
  const stream = uniqueStream();
  await first.client.appendToStream(stream, testEvent(0));
  await first.close();
  const second = await starting;
  const { nextExpectedRevision } = await second.client.appendToStream(stream, testEvent(1), { expectedRevision: 0n });
  expect(nextExpectedRevision).toBe(1n);
  await second.close();
});

test('a server that is stopped is waited for without end, in words', async () => {
  const holder = await startEventStoreChild(postgres.url('postgres'), `unix:${join(folder, 'stopped.sock')}`);
  holder.process.kill('SIGSTOP');
  const said: string[] = [];
  const startTimeoutMs = 100;
  let isReady = false;
  const starting = startEventStoreServer({
    databaseUrl: postgres.url('postgres'),
    listen: { socketPath: join(folder, 'waiting.sock') },
    startTimeoutMs,
    onLog: (_level, message) => said.push(message),
  }).then((server) => {
    isReady = true;
    open.push(server);
  });
  await pause(10 * startTimeoutMs);
  expect(isReady).toBe(false);
  const { rows } = await queryPostgres(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = ${0x726c6579}`,
  );
  expect(said).toEqual([
    expect.stringMatching(
      new RegExp(
        `^waiting: another event store server holds .*: session ${rows[0]?.pid} of PostgreSQL, from this machine`,
      ),
    ),
  ]);
  holder.process.kill('SIGCONT');
  expect(await holder.end('SIGTERM')).toBe(0);
  await starting;
});

test('closing answers the appends under way and ends subscriptions as unavailable', async () => {
  const store = await startStore('closing');
  const recorder = new Recorder(store.client.subscribeToAll({ fromPosition: 'end' }));
  await recorder.untilSaid('caughtUp');
  const stream = uniqueStream();
  await store.client.appendToStream(stream, testEvent(0));
  const appends = Array.from({ length: 20 }, (_, n) => store.client.appendToStream(stream, testEvent(n)));
  const outcomes = Promise.allSettled(appends);
  await pause(1);
  await store.server.close();
  await recorder.untilSaid('error:unavailable');
  const acknowledged = (await outcomes).filter(({ status }) => status === 'fulfilled').length;
  await store.client.dispose();
  const again = await startStore('closing');
  expect((await collect(again.client.readStream(stream))).length).toBeGreaterThanOrEqual(acknowledged + 1);
  await again.close();
});

describe('as a process', () => {
  test('it says one line, takes over a socket that a killed one left, and ends well on SIGTERM', async () => {
    const listen = `unix:${join(folder, 'process.sock')}`;
    const killed = await startEventStoreChild(postgres.url('postgres'), listen);
    expect(killed.line).toBe(`event store ready at ${listen}`);
    await killed.end('SIGKILL');
    const next = await startEventStoreChild(postgres.url('postgres'), listen);
    expect(await next.end('SIGTERM')).toBe(0);
  });

  test('it ends well on SIGTERM while it waits for another one', async () => {
    const holder = await startEventStoreChild(postgres.url('postgres'), `unix:${join(folder, 'holder.sock')}`);
    const waiting = spawnEventStore(postgres.url('postgres'), `unix:${join(folder, 'behind.sock')}`);
    const [words] = await once(waiting.stderr, 'data');
    expect(String(words)).toContain('waiting: another event store server');
    waiting.kill('SIGTERM');
    expect(await once(waiting, 'exit')).toEqual([0, null]);
    expect(await holder.end('SIGTERM')).toBe(0);
  });

  test('it listens on loopback only', async () => {
    const child = startEventStoreChild(postgres.url('postgres'), '0.0.0.0:0');
    await expect(child).rejects.toThrow('listens on loopback only');
    const local = await startEventStoreChild(postgres.url('postgres'), '127.0.0.1:0');
    const [, address = ''] = /at (127\.0\.0\.1:\d+)$/.exec(local.line) ?? [];
    const client = EventStoreDBClient.connectionString(`esdb://${address}?tls=false`);
    await client.appendToStream(uniqueStream(), testEvent(0));
    await client.dispose();
    expect(await local.end('SIGINT')).toBe(0);
  });

  test('it ends when its parent is killed', async () => {
    const env = {
      ...process.env,
      DATABASE_URL: postgres.url('postgres'),
      EVENT_STORE_LISTEN: `unix:${join(folder, 'orphan.sock')}`,
    };
    const program = JSON.stringify(eventStoreMain);
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').spawn(process.execPath, [${program}], {
           env: { ...process.env, EVENT_STORE_PARENT_PID: String(process.pid) }, stdio: ['ignore', 'pipe', 'ignore'] });
         child.stdout.on('data', () => process.stdout.write(child.pid + '\\n'));`,
      ],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [chunk] = await once(parent.stdout, 'data');
    const pid = Number(String(chunk));
    parent.kill('SIGKILL');
    while (isRunning(pid)) await pause(20);
  });
});
