import { Logger } from '@nestjs/common';
import type { EventStoreDBClient } from '@eventstore/db-client';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { ElectingStore } from '@app/testing/stores';
import { EmbeddedStore } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import { connectEventStore, encodeEvent, followCategories, type EventBatch } from '../src';

const stream = 'counter-1';
/** A gRPC status code. */
const invalidArgument = '3';
/** How often every subscriber is refused for being too slow. */
const ABORTS = 8;

let folder: string;
let stop: AbortController;
let warnings: jest.SpyInstance;
const following: Promise<void>[] = [];
/** Cleanups that run once all followers have ended, last first. */
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resubscriptions-'));
  stop = new AbortController();
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
});
afterEach(async () => {
  stop.abort();
  await Promise.all(following.splice(0));
  for (const end of ends.splice(0).reverse()) await end();
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it('a subscriber that is called too slow goes on at once after what it handled, without a warning', async () => {
  const embedded = await EmbeddedStore.start();
  ends.push(() => embedded.stop());
  const cluster = await ElectingStore.start(join(folder, 'cluster'), embedded.address);
  ends.push(() => cluster.close());
  const [store, client] = [embedded.connect(), connectEventStore(`unix:${cluster.socketPath}`)];
  ends.push(() => client.dispose());
  const slept = jest.spyOn(timers, 'setTimeout');
  const seen: unknown[][] = [[], []];
  const into = (numbers: unknown[]) => async (batch: EventBatch) =>
    void numbers.push(...batch.events.map(({ payload }) => payload['n']));
  const [all = [], other = []] = seen;
  const { signal } = stop;
  for (const numbers of [all, other])
    following.push(followCategories(client, { categories: ['counter'], after: 0, signal, onBatch: into(numbers) }));
  for (let n = 0; n < ABORTS; n += 1) {
    await store.append(stream, [encodeEvent(counterKind, counted(n), someCause())], n - 1);
    await until('the event', async () => (all.length > n && other.length > n ? true : null));
    await until('both subscribers', async () => (cluster.tooSlow() === 2 ? true : null));
  }
  await store.append(stream, [encodeEvent(counterKind, counted(ABORTS), someCause())], ABORTS - 1);
  await until('the last event', async () => (all.length > ABORTS && other.length > ABORTS ? true : null));
  expect(seen).toEqual([all, all].map(() => Array.from({ length: ABORTS + 1 }, (_, n) => n)));
  const pauses = slept.mock.calls.filter(([, , options]) => options?.signal === signal);
  expect(pauses).toHaveLength(0);
  expect(warnings).not.toHaveBeenCalled();
});

/** Connects a client to a server that answers each call like this. */
async function connectToServer(answer: (call: ServerHttp2Stream) => void): Promise<EventStoreDBClient> {
  const server = createServer().on('stream', answer);
  const path = join(folder, 'server');
  server.listen(path);
  await once(server, 'listening');
  const sessions: ServerHttp2Session[] = [];
  server.on('session', (session) => sessions.push(session));
  ends.push(async () => {
    server.close();
    for (const session of sessions) session.destroy();
  });
  const client = connectEventStore(`unix:${path}`);
  ends.push(() => client.dispose());
  return client;
}

/** As a proxy or a server does when it gives up a call. */
it('a subscription whose stream is reset with CANCEL is opened again', async () => {
  let opened = 0;
  const client = await connectToServer((call) => {
    opened += 1;
    call.respond({ ':status': 200, 'content-type': 'application/grpc' });
    setImmediate(() => call.close(constants.NGHTTP2_CANCEL));
  });
  const onBatch = async () => undefined;
  following.push(followCategories(client, { categories: ['counter'], after: 0, signal: stop.signal, onBatch }));
  await until('the third subscription', async () => (opened >= 3 ? true : null));
  expect(warnings).not.toHaveBeenCalled();
});

/** As a store does after an older backup was restored: it has nothing at our position. */
it('a subscription that the store refuses each time is stuck, and is tried again', async () => {
  let opened = 0;
  const client = await connectToServer((call) => {
    opened += 1;
    const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': invalidArgument };
    call.respond(headers, { endStream: true });
  });
  const told: boolean[] = [];
  const followed = { categories: ['counter'], after: 0, signal: stop.signal, onBatch: async () => undefined };
  following.push(followCategories(client, { ...followed, onStuck: (isStuck) => told.push(isStuck) }));
  await until('the word that it is stuck', async () => (told.includes(true) ? true : null));
  const openedByThen = opened;
  await until('another try', async () => (opened > openedByThen ? true : null));
  expect(told).toEqual([true]);
  expect(warnings).toHaveBeenCalledWith(expect.stringContaining('is tried again'));
});
