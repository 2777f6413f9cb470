/** The watch for streams that an administrator of the event store damages, as each new process starts it. */
import { DamagedStream } from '@app/kernel';
import { EmbeddedStore, testEvents, until } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { type Database, StreamMarks, StreamWatch } from '../src';
import { openTallies } from './tally';

let embedded: EmbeddedStore;
let test: TestDatabase;
let database: Database;
const watches: StreamWatch[] = [];
beforeAll(async () => {
  Logger.overrideLogger(false);
  embedded = await EmbeddedStore.start();
  test = await createTestDatabase();
  database = await openTallies(test.url);
});
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.stop();
});
afterAll(async () => {
  await embedded.stop();
  await database.close();
  await test.drop();
  Logger.overrideLogger(true);
});

/** A process that has just started: it remembers nothing but the marks in the database. */
function newProcess() {
  const store = embedded.connect();
  const watch = new StreamWatch(store, new StreamMarks(database), ['counter', 'operator']);
  watches.push(watch);
  return { store, watch };
}

async function aStream(stream: string): Promise<string> {
  const { client } = embedded.connect();
  await client.appendToStream(stream, testEvents(3));
  return stream;
}

/** Deletes the first event of a stream for good, as a scavenge does, and its copies in the server's memory. */
async function scavenge(stream: string): Promise<void> {
  await embedded.stopServer();
  const client = new Client({ connectionString: embedded.database.url });
  await client.connect();
  await client.query('DELETE FROM event_store.events WHERE stream = $1 AND revision = 0', [stream]);
  await client.end();
  await embedded.startServer();
}

it.each([true, false])(
  'names at its start a stream whose metadata were taken back after a scavenge: %s',
  async (is) => {
    const stream = await aStream(`counter-${is}`);
    const first = newProcess();
    first.watch.start();
    await first.store.client.setStreamMetadata(stream, { truncateBefore: 1 });
    await until(() => first.store.damaged.of(stream) !== null);
    if (is) await scavenge(stream);
    const marks = new StreamMarks(database);
    const before = await marks.position();
    await embedded.connect().client.setStreamMetadata(stream, {});
    await until(async () => (await marks.position()) > before);
    await first.watch.stop();

    const next = newProcess();
    next.watch.start();
    await until(() => next.store.streamReads.metadataFollowed);
    const named = is ? [`stream ${stream} misses events before revision 1`] : [];
    expect(next.watch.troubles.filter((words) => words.includes(`${stream} `))).toEqual(named);
  },
);

it('names the streams that there is one of before those of single users', () => {
  const { store, watch } = newProcess();
  for (let n = 0; n < 30; n += 1) store.damaged.add(new DamagedStream(`counter-${n}`, 'deleted'));
  store.damaged.add(new DamagedStream('operator-log', 'deleted'));
  expect(watch.troubles).toHaveLength(21);
  expect(watch.troubles[0]).toContain('stream operator-log ');
  expect(watch.troubles.at(-1)).toBe('stream troubles: 11 more');
});
