import type { EventStore } from '@app/event-store';
import { checkpointsStream } from '../covered-events';
import type { LogTables } from '../log-tables';
import type { HiddenEvents } from './hidden-events';

const pageEvents = 500;
/** Streams that are read at once. */
const lanes = 8;

/**
 * Reads every stream that the log covers, and the checkpoints' own, as those do that fold it: from its first event, one after the other.
 * @returns what a stream does not show of what the log has of it. Throws Unavailable.
 */
export async function* hiddenFromStreams(store: EventStore, tables: LogTables): AsyncGenerator<HiddenEvents> {
  for (let after: string | undefined = ''; after !== undefined;) {
    // Some at once: each is a read of its own, and takes its time.
    const page = await tables.streamsAfter(after, lanes);
    for (const one of await Promise.all(page.map(({ stream, last }) => hiddenOf(store, stream, last))))
      if (one !== null) yield one;
    after = page.at(-1)?.stream;
  }
}

/** What the checkpoints' own stream does not show, by its last event. Throws Unavailable. */
export async function hiddenCheckpoints(store: EventStore): Promise<HiddenEvents | null> {
  const { last } = await store.remainsOf(checkpointsStream);
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

/** Nothing is shown from a revision on. */
async function hiddenRest(store: EventStore, stream: string, first: number, last: number): Promise<HiddenEvents> {
  const { damage } = await store.remainsOf(stream);
  return { stream, first, last, why: damage?.damage === 'tombstoned' ? 'tombstoned' : 'deleted' };
}
