import { readOfAll, type ReceivedEvent } from '@app/event-store-wire';
import { decodeOwn, type StoredEvent, type EventBatch } from '../events/codec';

/** Part of the whole store, limited to some categories. */
export interface CategoriesPage extends EventBatch {
  readonly more: boolean;
}

/** Selects which events of the categories are returned. */
export interface Wanted {
  /** Whether events of a type are wanted; all are when absent. */
  type?(this: void, type: string): boolean;
  /** The page ends with the event at which the stored bytes of the returned events exceed this number. */
  readonly bytesMax?: number;
}

type Collect = (request: Buffer, take: (event: ReceivedEvent) => boolean) => Promise<unknown>;

/** Implements `EventStore.readCategories`. */
export async function readCategoriesPage(
  categories: readonly string[],
  after: number,
  maxCount: number,
  { type: isWanted = () => true, bytesMax = Infinity }: Wanted,
  collect: Collect,
): Promise<CategoriesPage> {
  const prefixes = categories.map((category) => `${category}-`);
  const events: StoredEvent[] = [];
  let [looked, upTo, bytes] = [0, after, 0];
  // The event at the position is returned again.
  await collect(readOfAll(after === 0 ? 'start' : after, maxCount + 1, 'forwards'), (event) => {
    if (bytes > bytesMax) return false;
    looked += 1;
    if (event.position <= after) return true;
    upTo = event.position;
    const isAsked = isWanted(event.type) && prefixes.some((prefix) => event.stream.startsWith(prefix));
    const stored = isAsked ? decodeOwn(event) : null;
    if (stored !== null) events.push(stored);
    if (stored !== null) bytes += event.data.length + event.metadata.length;
    return bytes <= bytesMax;
  });
  return { events, upTo, more: looked > maxCount || bytes > bytesMax };
}
