import { streamDeleted, WrongRevision, type VerbatimEvent, type VerbatimStore } from './verbatim-store';

/** The events cannot be copied there, or what is there is not a copy; its message says why. */
export class CannotMigrate extends Error {}

/** One append: consecutive events of one stream. Below what any server takes (1 MiB). */
const batchEventsMax = 500;
const batchBytesMax = 512 * 1024;

/** What there is to copy. */
export interface SourceCount {
  readonly events: number;
  /** Position of the last input of an automation; 0: there is none. */
  readonly lastInputPosition: number;
}

/** Counts the events of a store, the server's own apart. @throws CannotMigrate when a stream was deleted, Unavailable */
export async function countEvents(store: VerbatimStore, onCount: (done: number) => void): Promise<SourceCount> {
  let [events, lastInputPosition] = [0, 0];
  for await (const { stream, type, position } of store.events()) {
    if (type === streamDeleted)
      throw new CannotMigrate(`stream ${stream} was deleted, and a deleted stream cannot be copied`);
    if (stream.startsWith('input-')) lastInputPosition = Number(position);
    onCount((events += 1));
  }
  return { events, lastInputPosition };
}

/**
 * Copies every event of the source into the target, in the order of the source, so that any prefix of it is what a copy that was cut
 * off has left: what is there already is passed over when it is the same, event by event, and nothing else may be there.
 * Appends go one after the other, each at the exact revision of its stream.
 * @param onDone told how many events are in the target now
 * @throws CannotMigrate, Unavailable
 */
export async function copyEvents(
  source: VerbatimStore,
  target: VerbatimStore,
  onDone: (count: number) => void,
): Promise<void> {
  const wanted = source.events();
  let done = 0;
  for await (const there of target.events()) {
    const next = await wanted.next();
    if (next.done === true || !isSame(next.value, there)) throw notACopy(there);
    onDone((done += 1));
  }
  for await (const batch of batches(wanted)) {
    const [first] = batch;
    if (first === undefined) continue;
    try {
      await target.append(first.stream, first.revision - 1n, batch);
    } catch (error) {
      throw error instanceof WrongRevision ? notACopy(first) : error;
    }
    onDone((done += batch.length));
  }
}

function notACopy({ stream, revision }: VerbatimEvent): CannotMigrate {
  return new CannotMigrate(`the target is not a copy of the source: they differ at revision ${revision} of ${stream}`);
}

/** Whether an event is the other one's copy; its position is its store's own. */
export function isSame(one: VerbatimEvent, other: VerbatimEvent): boolean {
  return (
    one.stream === other.stream &&
    one.revision === other.revision &&
    one.id === other.id &&
    one.type === other.type &&
    one.contentType === other.contentType &&
    Buffer.compare(one.data, other.data) === 0 &&
    Buffer.compare(one.metadata, other.metadata) === 0
  );
}

/** Runs of events that follow each other in the store and in one stream. */
async function* batches(events: AsyncIterable<VerbatimEvent>): AsyncGenerator<VerbatimEvent[]> {
  let batch: VerbatimEvent[] = [];
  let bytes = 0;
  for await (const event of events) {
    const last = batch.at(-1);
    const weight = event.data.length + event.metadata.length + event.type.length;
    const follows = last !== undefined && last.stream === event.stream && last.revision + 1n === event.revision;
    if (last !== undefined && (!follows || batch.length >= batchEventsMax || bytes + weight > batchBytesMax)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(event);
    bytes += weight;
  }
  if (batch.length > 0) yield batch;
}
