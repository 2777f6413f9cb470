import type { ReceivedEvent } from '@app/event-store-wire';

/** Events read at a time backwards from the end, and the maximum in all. */
const lookBackEvents = 32;
const lookBackEventsMax = 1_024;

/** Reads the store backwards from its end, or from before a position. */
type ReadBackwards = (from: number | 'end', maxCount: number) => Promise<ReceivedEvent[]>;

/** Implements `EventStore.endPositionOf`. */
export async function newestPositionOf(
  categories: readonly string[],
  after: number,
  readBackwards: ReadBackwards,
): Promise<number> {
  const prefixes = categories.map((category) => `${category}-`);
  let from: number | 'end' = 'end';
  let position = 0;
  for (let looked = 0; looked < lookBackEventsMax; looked += lookBackEvents) {
    const page: ReceivedEvent[] = await readBackwards(from, lookBackEvents);
    const found = page.find(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)));
    position = (found ?? page.at(-1))?.position ?? 0;
    if (position <= after) return 0;
    if (found !== undefined) return position;
    if (page.length < lookBackEvents) return 0;
    from = position;
  }
  return position;
}
