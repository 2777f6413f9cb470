import { streamDeleted, WrongRevision, type VerbatimEvent, type VerbatimStore } from './verbatim-store';

/** The events cannot be copied there, or what is there is not a copy; its message says why. */
export class CannotMigrate extends Error {}

/** One append: consecutive events of one stream. Below what any server takes (1 MiB). */
const runEventsMax = 500;
const runBytesMax = 512 * 1024;
/** What is under way at once. The store answers one append after the other in a millisecond each, and hundreds in a few. */
const windowRunsMax = 500;
const windowBytesMax = 4 * 1024 * 1024;

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
 * Appends go in order, hundreds under way at once, each at the exact revision of its stream. (A store that refused one of them and took
 * a later one of another stream would have lost the order: then nothing is switched, and the copy begins again with an empty store.)
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
  const windows = windowsOf(wanted);
  let next = windows.next();
  for (let window = await next; window.done !== true; window = await next) {
    const appended = append(target, window.value);
    // The source is read on meanwhile.
    next = windows.next();
    await Promise.all([appended, next]);
    for (const run of window.value) onDone((done += run.length));
  }
}

async function append(target: VerbatimStore, runs: readonly Run[]): Promise<void> {
  try {
    await target.append(runs);
  } catch (error) {
    throw error instanceof WrongRevision ? notACopy(error) : error;
  }
}

function notACopy({ stream, revision }: Pick<VerbatimEvent, 'stream' | 'revision'>): CannotMigrate {
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

/** Events that follow each other in the store and in one stream: one append. */
type Run = VerbatimEvent[];

/** Everything in order, in runs, as many at a time as may be under way at once. */
async function* windowsOf(events: AsyncIterable<VerbatimEvent>): AsyncGenerator<Run[]> {
  let window: Run[] = [];
  let [runBytes, windowBytes] = [0, 0];
  for await (const event of events) {
    const weight = event.data.length + event.metadata.length + event.type.length;
    const run = window.at(-1);
    if (run && follows(event, run) && run.length < runEventsMax && runBytes + weight <= runBytesMax) {
      run.push(event);
      runBytes += weight;
    } else {
      const isFull = window.length >= windowRunsMax || windowBytes + weight > windowBytesMax;
      if (isFull && window.length > 0) {
        yield window;
        [window, windowBytes] = [[], 0];
      }
      window.push([event]);
      runBytes = weight;
    }
    windowBytes += weight;
  }
  if (window.length > 0) yield window;
}

function follows(event: VerbatimEvent, run: Run): boolean {
  const last = run.at(-1);
  return last?.stream === event.stream && last.revision + 1n === event.revision;
}
