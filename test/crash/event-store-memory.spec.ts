/** Clients that stall and clients that flood: the event store's memory stays bounded, and no reader loses an event. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { credentials, type ClientReadableStream } from '@grpc/grpc-js';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { pause, readRequest, uniqueStream } from '@app/testing/event-store';
import { startEventStoreChild, type EventStoreChild } from './event-store-child';

const MIB = 1024 * 1024;
const STALLED_READERS = 200;
const READERS_PER_CONNECTION = 100;
const EVENTS = 10_000;
const REFUSALS_MAX = 20;
const LOOKS_MAX = 20;
const EVENT_BYTES = 8_000;
const EVENTS_PER_APPEND = 100;
/**
 * The ring holds 64 MiB of the 76 that were appended, and sockets some; a page for each stalled reader would be 200
 * more.
 */
const HELD_MAX_BYTES = 160 * MIB;
/** Includes garbage that a busy machine is late to collect. */
const GROWTH_MAX_BYTES = 600 * MIB;

let database: TestDatabase;
let folder: string;
let child: EventStoreChild;
let address: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'parley-memory-'));
  address = `unix:${join(folder, 'es.sock')}`;
  child = await startEventStoreChild(database.url, address);
});
afterAll(async () => {
  await child.end('SIGTERM');
  await database.drop();
  await rm(folder, { recursive: true });
});

async function residentBytes(): Promise<number> {
  const { pid } = child.process;
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    return Number(stdout) * 1024;
  }
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** The bytes that the event store uses beyond `before`, once stalled readers have released their pages. */
async function settledBytes(before: number): Promise<number> {
  let held = (await child.heldBytes()) - before;
  for (let looks = 1; looks < LOOKS_MAX && held >= HELD_MAX_BYTES; looks += 1) {
    await pause(500);
    held = (await child.heldBytes()) - before;
  }
  return held;
}

/** A subscription to the events after the first `after`. */
function subscribe(protocol: StreamsClient, stream: string, after = 0): ClientReadableStream<ReadResp> {
  return protocol.read(readRequest({ stream, after }));
}

/**
 * A subscription whose events are not read. It ends with an error if it is cancelled, or if the machine is too busy to
 * serve it.
 */
function stalledReader(protocol: StreamsClient, stream: string): ClientReadableStream<ReadResp> {
  return subscribe(protocol, stream)
    .on('error', () => undefined)
    .pause();
}

/**
 * Reads up to `wanted` further events of the subscription. Returns how many it got, and the error that ended it early.
 */
async function take(call: ClientReadableStream<ReadResp>, wanted: number): Promise<{ taken: number; error?: Error }> {
  let taken = 0;
  const error = await new Promise<Error | undefined>((resolve) => {
    call.on('data', (response: ReadResp) => {
      if (response.hasEvent() && ++taken === wanted) resolve(undefined);
    });
    call.on('error', resolve);
    call.on('end', () => resolve(new Error('the subscription ended')));
    if (call.destroyed) resolve(new Error('the subscription was over before'));
    call.resume();
  });
  return error ? { taken, error } : { taken };
}

test('hundreds of stalled readers hold neither events nor pages', async () => {
  const client = new EventStoreDBClient({ endpoint: address }, { insecure: true });
  const apart = { 'grpc.use_local_subchannel_pool': 1 };
  const connect = () => new StreamsClient(address, credentials.createInsecure(), apart);
  const protocols = Array.from({ length: STALLED_READERS / READERS_PER_CONNECTION }, connect);
  const stream = uniqueStream();
  const readers = protocols.flatMap((protocol) =>
    Array.from({ length: READERS_PER_CONNECTION }, () => stalledReader(protocol, stream)),
  );
  await client.appendToStream(stream, binaryEvent({ type: 'warm', data: new Uint8Array(10) }));
  await pause(500);
  const before = { resident: await residentBytes(), held: await child.heldBytes() };
  const data = new Uint8Array(EVENT_BYTES);
  for (let n = 0; n < EVENTS; n += EVENTS_PER_APPEND) {
    const events = Array.from({ length: EVENTS_PER_APPEND }, () => binaryEvent({ type: 'blob', data }));
    await client.appendToStream(stream, events);
  }
  const growth = (await residentBytes()) - before.resident;
  const held = await settledBytes(before.held);
  process.stdout.write(
    `event store memory: ${STALLED_READERS} stalled readers past ${Math.round((EVENTS * EVENT_BYTES) / MIB)} MiB of events, grew by ${Math.round(growth / MIB)} MiB, holds ${Math.round(held / MIB)} more\n`,
  );
  expect(held).toBeLessThan(HELD_MAX_BYTES);
  expect(growth).toBeLessThan(GROWTH_MAX_BYTES);

  // The other readers cancel first, because unread data of one call counts towards the window of the whole connection.
  const [reader, ...others] = readers;
  for (const other of others) other.cancel();
  // A busy machine may fail to read a page in time; then the reader continues from where it was, as any client does.
  const refusals: Error[] = [];
  let taken = 0;
  for (let call = reader; call !== undefined && taken <= EVENTS && refusals.length < REFUSALS_MAX;) {
    const result = await take(call, EVENTS + 1 - taken);
    taken += result.taken;
    if (result.error) refusals.push(result.error);
    call.cancel();
    call = result.error && protocols[0] && subscribe(protocols[0], stream, taken);
  }
  expect({ taken, refusals }).toMatchObject({ taken: EVENTS + 1 });
  for (const protocol of protocols) protocol.close();
  await client.dispose();
}, 600_000);
