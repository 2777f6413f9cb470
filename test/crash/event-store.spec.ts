/**
 * The event store is killed with SIGKILL while clients append: every acknowledged event exists at the reported
 * position, without a gap.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent, type AppendResult, type ResolvedEvent } from '@eventstore/db-client';
import { pause } from '@app/testing/event-store';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { until } from '@app/testing/until';
import { startEventStoreChild } from './event-store-child';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 10);
const WRITERS = 8;
const EVENTS_PER_APPEND_MAX = 5;
const KILLED_AFTER_MS = { min: 20, max: 400 };
const ROUND_TIMEOUT_MS = 15_000;

let database: TestDatabase;
let folder: string;
let address: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'parley-crash-'));
  address = `unix:${join(folder, 'es.sock')}`;
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

interface Acknowledged {
  readonly stream: string;
  readonly ids: readonly string[];
  readonly result: AppendResult;
}

/** Appends to one stream, always with its exact revision. An append without an answer is repeated unchanged. */
class CrashWriter {
  readonly acknowledged: Acknowledged[] = [];
  private readonly stream = `crash-${randomUUID()}`;
  private unanswered: ReturnType<typeof newEvents> | undefined;
  private revision = -1n;

  async write(client: EventStoreDBClient, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const events = (this.unanswered ??= newEvents());
      const expectedRevision = this.revision < 0n ? ('no_stream' as const) : this.revision;
      try {
        const result = await client.appendToStream(this.stream, events, { expectedRevision });
        this.acknowledged.push({ stream: this.stream, ids: events.map(({ id }) => id), result });
        this.revision = result.nextExpectedRevision;
        this.unanswered = undefined;
      } catch (error) {
        // The kill interrupts appends by design; any other error, such as a wrong version, is a failure.
        if (!isOver()) throw error;
      }
    }
  }
}

function newEvents() {
  return Array.from({ length: randomInt(1, EVENTS_PER_APPEND_MAX + 1) }, () =>
    jsonEvent({ type: 'crashed', data: { random: randomUUID() } }),
  );
}

async function crashRound(writers: readonly CrashWriter[], seen: ResolvedEvent[]): Promise<void> {
  const child = await startEventStoreChild(database.url, address);
  const client = new EventStoreDBClient({ endpoint: address }, { insecure: true });
  const subscription = client.subscribeToAll({ fromPosition: 'end' });
  subscription.on('data', (event) => seen.push(event)).on('error', () => undefined);
  let over = false;
  const writing = Promise.all(writers.map((writer) => writer.write(client, () => over)));
  const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  const before = acknowledged();
  await until('an acknowledgement', async () => (acknowledged() > before ? true : null));
  await pause(randomInt(KILLED_AFTER_MS.min, KILLED_AFTER_MS.max));
  over = true;
  await Promise.all([writing, child.end('SIGKILL')]);
  await client.dispose();
}

async function readEverything(): Promise<ResolvedEvent[]> {
  const child = await startEventStoreChild(database.url, address);
  const client = new EventStoreDBClient({ endpoint: address }, { insecure: true });
  const events: ResolvedEvent[] = [];
  for await (const event of client.readAll()) events.push(event);
  await client.dispose();
  expect(await child.end('SIGTERM')).toBe(0);
  return events;
}

/** The number of places that deviate from the gapless sequence starting at `first`. */
function countGaps(numbers: readonly bigint[], first: bigint): number {
  return numbers.filter((number, index) => number !== first + BigInt(index)).length;
}

test(
  `nothing acknowledged is lost over ${ROUNDS} kills`,
  async () => {
    const writers = Array.from({ length: WRITERS }, () => new CrashWriter());
    const seen: ResolvedEvent[] = [];
    for (let round = 0; round < ROUNDS; round++) await crashRound(writers, seen);
    const events = await readEverything();

    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    const byId = new Map(events.map(({ event }) => [event?.id, event]));
    const lost = acknowledged.filter(({ stream, ids, result }) => {
      const stored = ids.map((id) => byId.get(id));
      const last = stored.at(-1);
      const inPlace =
        last?.revision === result.nextExpectedRevision && last.position?.commit === result.position?.commit;
      return !inPlace || stored.some((event) => event?.streamId !== stream);
    });
    const positions = events.map(({ event }) => event?.position?.commit ?? 0n);
    const byStream = new Map<string, bigint[]>(acknowledged.map(({ stream }) => [stream, []]));
    for (const { event } of events) if (event) byStream.get(event.streamId)?.push(event.revision);
    let gaps = countGaps(positions, 1n);
    for (const revisions of byStream.values()) gaps += countGaps(revisions, 0n);
    const count = acknowledged.reduce((sum, { ids }) => sum + ids.length, 0);
    const line = `event store crash: ${ROUNDS} rounds, ${count} acknowledged, ${lost.length} lost, ${gaps} gaps`;
    process.stdout.write(`${line}\n`);
    expect({ lost, gaps }).toEqual({ lost: [], gaps: 0 });
    expect(byId.size).toBe(events.length);
    const vanished = seen.filter(({ event }) => byId.get(event?.id)?.position?.commit !== event?.position?.commit);
    expect(vanished).toEqual([]);
    expect(count).toBeGreaterThan(0);
  },
  ROUND_TIMEOUT_MS * (ROUNDS + 1),
);
