/**
 * The store of a mixed day, altered in every way by one byte, one event or one place at a time: each alteration is found and named by its
 * stream and revision, and nothing else is reported. Most alter events in memory, some the rows of the store itself.
 */
import {
  checkpointsStream,
  keptInTables,
  LogTables,
  verifyLog,
  type Findings,
  type KeptLog,
  type StoredBytes,
} from '@app/audit';
import { lastStoredPosition, storedRows } from '@app/event-store-server';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { partOf, seededRandom } from '@app/testing/journeys';
import { mixedDay, storedCheckpoints } from '@app/testing/transparency';
import { Database } from '@app/read-store';
import { parseVerifierKey, tileWidth } from '@app/transparency';
import { Client } from 'pg';
import { altered, alterationKinds, alterationOf, nameOf, statementsOf, toldOf, type Alteration } from './alterations';

const full = process.env['FIGURES'] === 'full';
const inMemory = full ? 9_600 : 240;
const inRows = full ? 400 : 24;
const seed = Number(process.env['SEED'] ?? 18);
const withinMs = 3_000_000;

let deployment: Deployment;
let kept: KeptLog;
/** The events that the log covers. */
let events: readonly StoredBytes[];
let claims: Awaited<ReturnType<typeof storedCheckpoints>>;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await mixedDay(deployment, seed);
  claims = await storedCheckpoints(deployment);
  kept = await held(await keptInTables(new LogTables(partOf(deployment, Database))));
  events = (await withRows(allRows)).filter(({ stream }) => stream !== checkpointsStream).slice(0, kept.size);
}, 300_000);

afterAll(() => deployment.stop());

/** The log in memory, so that its leaves are read once. */
async function held(log: KeptLog): Promise<KeptLog> {
  const leaves = await collected(log.leaves());
  const tiles = new Map<string, Promise<Uint8Array | null>>();
  return {
    ...log,
    async *leaves() {
      yield* leaves;
    },
    tile: (name) => {
      const key = JSON.stringify(name);
      const tile = tiles.get(key) ?? log.tile(name);
      tiles.set(key, tile);
      return tile;
    },
  };
}

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Runs `work` on a connection of its own. */
async function withRows<Value>(work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = new Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function allRows(client: Client): Promise<StoredBytes[]> {
  // Reason for the assertion: the statements name the columns.
  const query = async <Row>(text: string, values: readonly unknown[]) =>
    (await client.query(text, [...values])).rows as Row[];
  return collected(storedRows(query, await lastStoredPosition(query)));
}

async function verify(stored: readonly StoredBytes[]): Promise<Findings> {
  const log = claims.keys.flatMap((text) => parseVerifierKey(text) ?? []);
  const subject = { kept, stored: each(stored), claims: claims.claims, ownKeys: [] };
  return verifyLog(subject, { log, witnesses: [], needed: 0 }, () => undefined);
}

async function* each(stored: readonly StoredBytes[]): AsyncGenerator<StoredBytes> {
  yield* stored;
}

/** Null if exactly the alteration was found and named; otherwise the findings. */
function misnamed(alteration: Alteration, { problems, beyond }: Findings): string | null {
  const told = toldOf(events, alteration);
  const names = new Set(
    problems.map(({ stream, revision }) => nameOf({ stream: stream ?? '', revision: revision ?? -1 })),
  );
  const isNamed = told.all ? told.events.every((name) => names.has(name)) : names.size > 0;
  const isAll = [...names].every((name) => told.events.includes(name)) && beyond === 0;
  const isSaid = problems.length > 0 && problems.every(({ says }) => told.says.test(says));
  return isNamed && isAll && isSaid ? null : JSON.stringify({ alteration, told: String(told.says), problems });
}

it('finds nothing wrong before anything is altered', async () => {
  const found = await verify(await withRows(allRows));
  expect(found.problems).toEqual([]);
  expect(found.proven).toBeGreaterThan(tileWidth);
});

async function tried(count: number, random: () => number, verifyOne: (one: Alteration) => Promise<Findings>) {
  const missed: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const kind = alterationKinds[nth % alterationKinds.length] ?? 'data';
    const alteration = alterationOf(kind, events, random);
    const wrong = misnamed(alteration, await verifyOne(alteration));
    if (wrong !== null) missed.push(wrong);
  }
  return missed;
}

/** Alters the rows themselves, in a transaction that sees no concurrent appends and is rolled back. */
async function inTheRows(client: Client, alteration: Alteration): Promise<Findings> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  try {
    for (const { text, values } of statementsOf(events, alteration)) await client.query(text, [...values]);
    return await verify(await allRows(client));
  } finally {
    await client.query('ROLLBACK');
  }
}

it(
  'finds and names every alteration of a day',
  async () => {
    const random = seededRandom(seed);
    const missed = await tried(inMemory, random, (one) => verify(altered(events, one)));
    const missedInRows = await withRows((client) => tried(inRows, random, (one) => inTheRows(client, one)));
    expect([...missed, ...missedInRows]).toEqual([]);
    process.stderr.write(
      `alterations (seed ${seed}): ${events.length} events, ${inMemory + inRows} alterations (10000 with FIGURES=full), ` +
        `${inRows} of them of rows, ${missed.length + missedInRows.length} missed or misnamed\n`,
    );
  },
  withinMs,
);
