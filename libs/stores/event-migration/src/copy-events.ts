import { streamDeleted, weightOf, WrongRevision } from './verbatim-store';
import type { Run, VerbatimEvent, VerbatimStore } from './verbatim-store';

/** The events cannot be copied there, or the target's content is no copy; the message says why. */
export class CannotMigrate extends Error {}

/** One append: consecutive events of one stream, below the limit of any server (1 MiB). */
const runEventsMax = 500;
const runBytesMax = 512 * 1024;

/** A copy that differs from its source. Without one, every event is copied byte by byte. */
export interface CopyForm {
  /** Returns the event as the target is to have it: the same one, or one with other bytes. */
  copyOf(this: void, event: VerbatimEvent): Promise<VerbatimEvent>;
  /** Whether the target has this copy of the event; place, id and type were compared. */
  isCopy(this: void, event: VerbatimEvent, there: VerbatimEvent): Promise<boolean>;
  /** The event that follows after all others; null for none. */
  readonly closing: ClosingEvent | null;
}

/** An event that the target has after the copies of all events. */
export interface ClosingEvent {
  readonly event: VerbatimEvent;
  /** Whether an event of the target is this one, of this run or of an earlier one. */
  is(this: void, there: VerbatimEvent): boolean;
}

/** Every event byte by byte. */
export const verbatimForm: CopyForm = {
  copyOf: async (event) => event,
  isCopy: async (event, there) => hasSameBytes(event, there),
  closing: null,
};

/** The amount to copy. */
export interface SourceCount {
  readonly events: number;
  /** Position of the last input of an automation; 0 if there is none. */
  readonly lastInputPosition: number;
}

/**
 * Counts the events of a store, without the server's own. @throws CannotMigrate when a stream was deleted, Unavailable
 * @param onEvent called with each event
 */
export async function countEvents(
  store: VerbatimStore,
  onCount: (done: number) => void,
  onEvent: (event: VerbatimEvent) => void = () => undefined,
): Promise<SourceCount> {
  let [events, lastInputPosition] = [0, 0];
  for await (const event of store.events()) {
    const { stream, type, position } = event;
    onEvent(event);
    if (type === streamDeleted)
      throw new CannotMigrate(`stream ${stream} was deleted, and a deleted stream cannot be copied`);
    if (stream.startsWith('input-')) lastInputPosition = Number(position);
    onCount((events += 1));
  }
  return { events, lastInputPosition };
}

/**
 * Copies every event of the source into the target, in the order of the source, so that an interrupted copy leaves a prefix of it. Events
 * that are there already are skipped when they are the same, one by one; anything else there is refused. Appends are sent in order,
 * hundreds in flight at once, each at the exact revision of its stream. (If a store refused one of them and accepted a later one of another
 * stream, the order would be lost: then nothing is switched, and the copy begins again with an empty store.)
 * @param onDone called with the number of events that are in the target now
 * @throws CannotMigrate, Unavailable
 */
export async function copyEvents(
  source: VerbatimStore,
  target: VerbatimStore,
  onDone: (count: number) => void,
  form: CopyForm = verbatimForm,
): Promise<void> {
  const wanted = source.events();
  let done = 0;
  let isClosed = false;
  for await (const there of target.events()) {
    const next = isClosed ? null : await wanted.next();
    if (next === null) throw notACopy(there);
    if (next.done === true) isClosed = isClosing(form, there);
    if (next.done === true ? !isClosed : !(await isCopy(form, next.value, there))) throw notACopy(there);
    onDone((done += 1));
  }
  if (isClosed) return;
  try {
    await target.append(runsOf(copiesOf(wanted, form)), (events) => onDone((done += events)));
  } catch (error) {
    throw error instanceof WrongRevision ? notACopy(error) : error;
  }
}

async function* copiesOf(events: AsyncIterable<VerbatimEvent>, form: CopyForm): AsyncGenerator<VerbatimEvent> {
  for await (const event of events) yield form.copyOf(event);
  if (form.closing !== null) yield form.closing.event;
}

/** Whether the target's event is a copy of the source's; positions differ between stores. */
export async function isCopy(form: CopyForm, event: VerbatimEvent, there: VerbatimEvent): Promise<boolean> {
  return isSameEvent(event, there) && form.isCopy(event, there);
}

/** Whether the target's event is the one that follows after all copies. */
export function isClosing({ closing }: CopyForm, there: VerbatimEvent): boolean {
  return closing?.is(there) === true;
}

function notACopy({ stream, revision }: Pick<VerbatimEvent, 'stream' | 'revision'>): CannotMigrate {
  return new CannotMigrate(`the target is not a copy of the source: they differ at revision ${revision} of ${stream}`);
}

function isSameEvent(one: VerbatimEvent, other: VerbatimEvent): boolean {
  return (
    one.stream === other.stream &&
    one.revision === other.revision &&
    one.id === other.id &&
    one.type === other.type &&
    one.contentType === other.contentType
  );
}

/** Whether the content of two events is the same, byte by byte. */
export function hasSameBytes(one: VerbatimEvent, other: VerbatimEvent): boolean {
  return Buffer.compare(one.data, other.data) === 0 && Buffer.compare(one.metadata, other.metadata) === 0;
}

/** Groups events into runs, keeping their order. */
async function* runsOf(events: AsyncIterable<VerbatimEvent>): AsyncGenerator<Run> {
  let run: VerbatimEvent[] = [];
  let bytes = 0;
  for await (const event of events) {
    const weight = weightOf(event);
    if (run.length > 0 && (!follows(event, run) || run.length >= runEventsMax || bytes + weight > runBytesMax)) {
      yield run;
      [run, bytes] = [[], 0];
    }
    run.push(event);
    bytes += weight;
  }
  if (run.length > 0) yield run;
}

function follows(event: VerbatimEvent, run: Run): boolean {
  const last = run.at(-1);
  return last?.stream === event.stream && last.revision + 1n === event.revision;
}
