import type { ReceivedEvent } from './answers';
import { decodeOwn, type StoredEvent } from './codec';
import type { EventBatch } from './intake';
import { readOfAll } from './read-requests';

/** A stretch of the whole store. */
export interface CategoriesPage extends EventBatch {
  readonly more: boolean;
}

/** Which events of the categories are answered. */
export interface Wanted {
  /** Whether events of a type are of interest; all are when absent. */
  type?(this: void, type: string): boolean;
  /** The page ends with the event with which those it answers pass so many bytes, as they are stored. */
  readonly bytesMax?: number;
}

type Collect = (request: Buffer, take: (event: ReceivedEvent) => boolean) => Promise<unknown>;

/** What `EventStore.readCategories` answers. */
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
  // The one at the position comes again.
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
