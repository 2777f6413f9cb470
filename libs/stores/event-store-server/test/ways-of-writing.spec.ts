/** The events sent to readers do not depend on the way in which answers are written (`CallWriter`). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { EventStoreDBClient, FORWARDS, START, streamNameFilter } from '@eventstore/db-client';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb';
import { collect, numbers, readRequest, Recorder, testEvents, uniqueStream } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { credentials, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

const ways = { direct: [], official: [(_, call) => new ServerInterceptingCall(call)] } as const satisfies Record<
  string,
  readonly ServerInterceptor[]
>;
type Way = keyof typeof ways;

let database: TestDatabase;
let folder: string;
let server: EventStoreServer | undefined;
const clients: EventStoreDBClient[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'ways-of-writing-'));
});
afterEach(async () => {
  await end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Starts the store again, on the same events. */
async function begin(way: Way): Promise<EventStoreDBClient> {
  await end();
  const listen = { socketPath: join(folder, 'es.sock') };
  server = await startEventStoreServer({ databaseUrl: database.url, listen, interceptors: [...ways[way]] });
  const client = new EventStoreDBClient({ endpoint: server.address }, { insecure: true });
  clients.push(client);
  return client;
}

async function end(): Promise<void> {
  for (const client of clients.splice(0)) await client.dispose();
  await server?.close();
  server = undefined;
}

/** Returns the answers to a read of a stream from its start, as bytes. */
async function answers(stream: string): Promise<Buffer[]> {
  const request = readRequest({ stream, count: 1_000 });
  const { path, requestSerialize } = StreamsService.read;
  const protocol = new StreamsClient(server?.address ?? '', credentials.createInsecure());
  const bytes: Buffer[] = [];
  const call = protocol.makeServerStreamRequest(path, requestSerialize, (answer: Buffer) => answer, request);
  // `as`: grpc-js types its streams' items as any.
  for await (const answer of call as AsyncIterable<Buffer>) bytes.push(answer);
  protocol.close();
  return bytes;
}

test('a stream reads alike', async () => {
  const stream = uniqueStream();
  const client = await begin('direct');
  await client.appendToStream(stream, testEvents(500));
  const fromRing = await answers(stream);
  expect(fromRing).toHaveLength(500);
  for (const way of ['official', 'direct'] as const) {
    await begin(way);
    expect(await answers(stream)).toEqual(fromRing);
  }
});

describe.each(Object.keys(ways) as Way[])('%s', (way) => {
  test('subscribers get what there was, what comes, and the end of their stream', async () => {
    const [stream, other] = [uniqueStream('followed'), uniqueStream('other')];
    const client = await begin(way);
    await client.appendToStream(stream, testEvents(30));
    const ofStream = new Recorder(client.subscribeToStream(stream));
    const ofAll = new Recorder(client.subscribeToAll({ fromPosition: START }));
    const filtered = new Recorder(
      client.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ prefixes: ['followed-'] }) }),
    );
    const recorders = [ofStream, ofAll, filtered];
    for (const recorder of recorders) await recorder.untilSaid('caughtUp');
    // One event alone, many as one piece, more than one piece holds, and among events of another stream.
    await client.appendToStream(stream, testEvents(1, 30));
    await client.appendToStream(stream, testEvents(60, 31));
    await client.appendToStream(other, testEvents(2_000));
    await Promise.all([client.appendToStream(stream, testEvents(9, 91)), client.appendToStream(other, testEvents(9))]);
    for (const recorder of [ofStream, filtered]) await recorder.untilEvents(100);
    await ofAll.untilEvents(100 + 2_009);
    for (const recorder of recorders) {
      const ofIt = recorder.events.filter(({ event }) => event?.streamId === stream);
      expect(numbers(ofIt)).toEqual(testEvents(100).map(({ data }) => data.n));
    }
    const whole = await collect(client.readAll({ direction: FORWARDS, maxCount: 10_000 }));
    expect(ofAll.events.map(({ event }) => event?.id)).toEqual(whole.map(({ event }) => event?.id));
    await client.tombstoneStream(stream);
    await ofStream.untilSaid('error:stream-deleted');
    await filtered.untilEvents(101);
    for (const { subscription } of recorders) await subscription.unsubscribe();
  });
});
