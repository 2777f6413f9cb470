import type { EventStore, ReceivedEvent } from '@app/event-store';
import { checkpointsStream, isCovered } from '../log/covered-events';
import type { LogTables } from '../log/log-tables';

/** Events of one stream that are stored but not shown to readers of the stream. */
export interface HiddenEvents {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly why: 'tombstoned' | 'deleted' | 'truncated';
}

const pageEvents = 500;
/** Number of streams read in parallel. */
const lanes = 8;

/** A stream, and the revision up to which it must show its events. */
interface Due {
  readonly stream: string;
  readonly last: number;
}

/**
 * Reads every stream that the log covers the way a fold does, in order from its first event; and also the streams of
 * stored events that have no leaf in the tables (yet or any more).
 * @returns events of the log or the whole store that a stream does not show. Throws Unavailable.
 */
export async function* hiddenFromStreams(store: EventStore, tables: LogTables): AsyncGenerator<HiddenEvents> {
  const unshown = await unshownWithoutLeaves(store, await endOfLeaves(store, tables));
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await tables.streamsAfter(after, lanes);
    yield* hiddenAmong(
      store,
      page.map(({ stream, last }) => ({ stream, last: Math.max(last, unshown.get(stream) ?? -1) })),
    );
    for (const { stream } of page) unshown.delete(stream);
    after = page.at(-1)?.stream;
  }
  const others = [...unshown].map(([stream, last]) => ({ stream, last }));
  for (let from = 0; from < others.length; from += lanes) yield* hiddenAmong(store, others.slice(from, from + lanes));
}

/** The position up to which every event has a leaf: the event's own, because the tree covers no positions. */
async function endOfLeaves(store: EventStore, tables: LogTables): Promise<number> {
  const last = await tables.lastOfAll();
  if (last === null) return 0;
  const [event] = await store.readRemaining(last.stream, last.revision, 1);
  return event?.revision === last.revision && event.position === last.position ? event.position : 0;
}

/** Reads several streams in parallel, because each read has its own latency. */
async function* hiddenAmong(store: EventStore, streams: readonly Due[]): AsyncGenerator<HiddenEvents> {
  for (const one of await Promise.all(streams.map(({ stream, last }) => hiddenOf(store, stream, last))))
    if (one !== null) yield one;
}

/**
 * Scans the events after a position, and reads each stream once per page, over the page's range of it.
 * @returns the streams that hide some of these events, each with its last revision found
 */
async function unshownWithoutLeaves(store: EventStore, position: number): Promise<Map<string, number>> {
  const unshown = new Map<string, number>();
  const end = await store.endPosition();
  for (let after = position; after < end;) {
    const events = await store.readAllRaw(after, pageEvents);
    const stretches = stretchesOf(events.filter((event) => event.position <= end && isCovered(event)));
    for (let from = 0; from < stretches.length; from += lanes)
      for (const { stream, last } of await unshownAmong(store, stretches.slice(from, from + lanes), unshown))
        unshown.set(stream, last);
    after = events.at(-1)?.position ?? end;
  }
  return unshown;
}

/** A stream, with the first and last revision that a page has of it. */
interface Stretch extends Due {
  readonly first: number;
}

function stretchesOf(events: readonly ReceivedEvent[]): Stretch[] {
  const found = new Map<string, Stretch>();
  for (const { stream, revision } of events)
    found.set(stream, { stream, first: found.get(stream)?.first ?? revision, last: revision });
  return [...found.values()];
}

/** The stretches that reads do not show completely; every stretch of a stream already known to hide events. */
async function unshownAmong(
  store: EventStore,
  stretches: readonly Stretch[],
  known: ReadonlyMap<string, number>,
): Promise<Stretch[]> {
  const shown = await Promise.all(stretches.map(async (one) => !known.has(one.stream) && (await isShown(store, one))));
  return stretches.filter((_, at) => shown[at] !== true);
}

/** Whether a read of the stream returns all events of the stretch. */
async function isShown(store: EventStore, { stream, first, last }: Stretch): Promise<boolean> {
  const shown = await store.readRemaining(stream, first, last - first + 1);
  return shown[0]?.revision === first && shown.length > last - first;
}

/**
 * The checkpoints that their own stream does not show, up to its last event; only the first one if the stream is gone,
 * because the number of the others is then unknown. Throws Unavailable.
 */
export async function hiddenCheckpoints(store: EventStore): Promise<HiddenEvents | null> {
  const { last, damage } = await store.remainsOf(checkpointsStream);
  if (damage !== null && last < 0) return hiddenRest(store, checkpointsStream, 0, 0);
  return hiddenOf(store, checkpointsStream, last);
}

async function hiddenOf(store: EventStore, stream: string, last: number): Promise<HiddenEvents | null> {
  for (let next = 0; next <= last;) {
    const page = await store.readRemaining(stream, next, pageEvents);
    const [first] = page;
    if (first === undefined) return hiddenRest(store, stream, next, last);
    if (first.revision > next) return { stream, first: next, last: first.revision - 1, why: 'truncated' };
    const gapAt = page.findIndex(({ revision }, at) => revision !== next + at);
    if (gapAt >= 0) return { stream, first: next + gapAt, last: (page[gapAt]?.revision ?? 0) - 1, why: 'truncated' };
    next += page.length;
  }
  return null;
}

/** The hidden events if nothing is shown from a revision on. */
async function hiddenRest(store: EventStore, stream: string, first: number, last: number): Promise<HiddenEvents> {
  const { damage } = await store.remainsOf(stream);
  return { stream, first, last, why: damage?.damage === 'tombstoned' ? 'tombstoned' : 'deleted' };
}
