/** The database and the event store name each other: stores of two deployments, or of two ages, are refused. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { describeFailure, openProduct, readStore } from '@app/composition';
import { EventStore, Streams } from '@app/event-store';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { causeOfService, Clock } from '@app/kernel';
import { openDatabase } from '@app/read-store';
import { Probe } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { userKind } from '@app/users';
import { checkpointsId, checkpointsKind } from '../src/checkpoints/checkpoints.stream';
import { LogBuilder } from '../src/log/log-builder';
import { LogIdentity } from '../src/log/log-identity';
import { originIn } from '../src/stores/log-origin';
import { LogTables } from '../src/log/log-tables';

interface Stores {
  readonly database: TestDatabase;
  readonly server: EventStoreServer;
}

let folder: string;
const opened: Stores[] = [];
const products: INestApplicationContext[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-identity-'));
});
afterEach(async () => {
  for (const product of products.splice(0)) await product.close();
});
afterAll(async () => {
  for (const { server, database } of opened) {
    await server.close();
    await database.drop();
  }
  await rm(folder, { recursive: true, force: true });
});

/** A database with empty tables, and an event store of its own. */
async function newStores(): Promise<Stores> {
  const database = await createTestDatabase();
  const listen = { socketPath: join(folder, `${opened.length}.sock`) };
  const server = await startEventStoreServer({ databaseUrl: database.url, listen });
  const stores = { database, server };
  opened.push(stores);
  await (await openDatabase(configurationOf(stores), readStore)).close();
  return stores;
}

const secret = randomBytes(32).toString('base64');

function configurationOf({ database }: Pick<Stores, 'database'>, { server }: Partial<Pick<Stores, 'server'>> = {}) {
  return readConfiguration({
    PARLEY_MODE: 'sandbox',
    DATABASE_URL: database.url,
    EVENTSTORE_URL: server === undefined ? 'unix:/nowhere' : server.address,
    PARLEY_SECRET_KEY: secret,
    PARLEY_DATA_DIR: folder,
    LOG_LEVEL: 'silent',
  });
}

async function start(database: Stores, server: Stores = database): Promise<INestApplicationContext> {
  const product = await openProduct(configurationOf(database, server));
  products.push(product);
  return product;
}

async function named(product: INestApplicationContext): Promise<readonly unknown[]> {
  const { origin } = await product.get(LogIdentity, { strict: false }).row();
  return [origin, await originIn(product.get(EventStore, { strict: false }))];
}

/** The message that the start prints, if it is a single sentence. */
async function refusal(database: Stores, server: Stores): Promise<string> {
  const error: unknown = await start(database, server).catch((failure: unknown) => failure);
  const words = describeFailure(error);
  return typeof words === 'string' ? words : `no sentence: ${String(error)}`;
}

it('is named by the first of several processes that start at once', async () => {
  const stores = await newStores();
  const started = await Promise.all([start(stores), start(stores), start(stores)]);
  const names = await Promise.all(started.map(named));
  const [[origin]] = names as [[string]]; // there are three
  expect(origin).toMatch(/^parley\/[0-9a-f-]{36}$/);
  expect(names).toEqual([
    [origin, origin],
    [origin, origin],
    [origin, origin],
  ]);
  for (const product of started) expect(await product.get(LogIdentity, { strict: false }).hold()).toBeNull();
});

it('stops a start on the event store of another deployment, and on an empty one', async () => {
  const [one, other, empty] = [await newStores(), await newStores(), await newStores()];
  const [[own], [foreign]] = [await named(await start(one)), await named(await start(other))] as [[string], [string]]; // both are named
  expect(await refusal(one, other)).toBe(
    `EVENTSTORE_URL names an event store that belongs to ${foreign}, and the database (DATABASE_URL) belongs to ${own}: ` +
      `set EVENTSTORE_URL to the event store of ${own}, or DATABASE_URL to the database that goes with this event store`,
  );
  expect(await refusal(one, empty)).toMatch(/^EVENTSTORE_URL names an event store that is empty, and the database/);
  // Nothing was written there meanwhile.
  expect(await named(await start(empty))).not.toContain(own);
});

it('stops a start on an event store of an older copy than the database', async () => {
  const stores = await newStores();
  await start(stores);
  const { database } = stores;
  const opening = await openDatabase(configurationOf(stores), readStore);
  await opening.query(`INSERT INTO reactor_checkpoints (name, position) VALUES ('a test', 1000000)`);
  await opening.close();
  expect(await refusal({ ...stores, database }, stores)).toMatch(
    /^EVENTSTORE_URL names an event store that ends at position \d+, and the database \(DATABASE_URL\) has seen it up to 1000000/,
  );
});

it('takes up what an earlier version left, which named neither', async () => {
  const stores = await newStores();
  const [origin] = await named(await start(stores));
  const opening = await openDatabase(configurationOf(stores), readStore);
  await opening.query('DELETE FROM log_identity');
  await opening.query(`INSERT INTO reactor_checkpoints (name, position) VALUES ('a test', 1)`);
  await opening.close();
  const product = await start(stores);
  expect(await named(product)).toEqual([origin, origin]);
  expect(await product.get(LogIdentity, { strict: false }).hold()).toBeNull();
});

/** Simulates stores of a version before the names: neither store is named, and nothing remembers the previous log. */
async function forgetNames(stores: Stores, ...statements: readonly string[]): Promise<void> {
  const opening = await openDatabase(configurationOf(stores), readStore);
  for (const statement of ['DELETE FROM log_identity', ...statements]) await opening.query(statement);
  await opening.close();
}

/** A deployment with an account, whose event store holds more than any other one here. */
async function grown(stores: Stores, events: number): Promise<INestApplicationContext> {
  const product = await start(stores);
  const streams = product.get(Streams, { strict: false });
  for (let n = 0; n < events; n += 1)
    await streams.decide(
      userKind,
      randomUUID(),
      {
        type: 'EnsureUser',
        issuer: 'https://issuer.example',
        subject: 'a subject',
        at: product.get(Clock, { strict: false }).now(),
      },
      causeOfService('test', `${n}`),
      { read: 'assume-new' },
    );
  return product;
}

it.each([
  ['the leaves of its log', []],
  ['its accounts alone', ['TRUNCATE transparency_leaves', 'UPDATE transparency_log SET size = 0, position = 0']],
])('takes up no larger store of another deployment where the database knows %s, and its own', async (_, forget) => {
  const [own, larger] = [await newStores(), await newStores()];
  const product = await grown(own, 3);
  const tables = product.get(LogTables, { strict: false });
  const builder = new LogBuilder(product.get(EventStore, { strict: false }), tables, new Probe());
  await builder.catchUp(new AbortController().signal);
  await grown(larger, 30);
  await forgetNames(
    own,
    ...forget,
    `INSERT INTO reactor_checkpoints (name, position) VALUES ('a test', 3)`,
    `INSERT INTO users SELECT substr(stream, 6)::uuid, 'https://issuer.example', stream, false, '', global_position
     FROM event_store.events WHERE stream LIKE 'user-%'`,
  );
  expect(await refusal(own, larger)).toMatch(
    /^EVENTSTORE_URL names an event store that belongs to parley\/[0-9a-f-]{36}, and/,
  );
  expect(await named(await start(own))).toEqual(await named(product));
});

it.each([
  [
    'ends before',
    1_000_000,
    /^EVENTSTORE_URL names an event store that ends at position \d+, and the database \(DATABASE_URL\) has/,
  ],
  [
    'has grown beyond',
    0,
    /^EVENTSTORE_URL names an event store that lacks events which the database \(DATABASE_URL\) has seen: it is/,
  ],
])(
  'stops a start on an older copy that holds older events, and %s the newest that the database has seen',
  async (_, further, words) => {
    const stores = await newStores();
    const product = await grown(stores, 12);
    const tables = product.get(LogTables, { strict: false });
    const builder = new LogBuilder(product.get(EventStore, { strict: false }), tables, new Probe());
    await builder.catchUp(new AbortController().signal);
    const opening = await openDatabase(configurationOf(stores), readStore);
    await opening.query(
      `UPDATE transparency_leaves SET stream = 'user-${randomUUID()}', position = position + ${further}
     WHERE index = (SELECT max(index) FROM transparency_leaves)`,
    );
    await opening.close();
    expect(await refusal(stores, stores)).toMatch(words);
  },
);

it('holds the log where a new database stands beside a store that another one was there for', async () => {
  const [one, other] = [await newStores(), await newStores()];
  const first = await start(one);
  const [origin] = await named(first);
  const root = Buffer.alloc(32).toString('base64');
  const fix = { type: 'Fix', at: first.get(Clock, { strict: false }).now(), size: 1, root, position: 1 } as const;
  await first
    .get(Streams, { strict: false })
    .decide(checkpointsKind, checkpointsId, fix, causeOfService('test', 'fix'));
  const product = await start(other, one);
  expect(await named(product)).toEqual([origin, origin]);
  expect(await product.get(LogIdentity, { strict: false }).hold()).toMatchObject({ why: 'new_database' });
});
