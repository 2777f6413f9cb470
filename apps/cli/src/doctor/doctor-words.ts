import { describeFailure } from '@app/composition';
import { checkEventStore, connectEventStore, EventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { hasClearWords } from '@app/operators';
import type { Configuration } from '@app/settings';
import { finding, type Finding } from './doctor-finding';
import { storesOf } from './doctor-stores';

/** Events to read: those that an earlier version stored are the first ones of the store. */
const firstEvents = 2_000;

/** Whether the event store holds words of persons in clear, as earlier versions stored them; empty where it does not, or does not answer. */
export async function wordsFindings(configuration: Configuration): Promise<readonly Finding[]> {
  const { eventStoreUrl } = (await storesOf(configuration)) ?? {};
  if (eventStoreUrl === undefined) return [];
  const store = new EventStore(connectEventStore(eventStoreUrl, 'catch-ups'));
  try {
    if ((await checkEventStore(eventStoreUrl)) === 'away') return [];
    const clear = (await store.readAllRaw(0, firstEvents)).filter(hasClearWords).length;
    if (clear === 0) return [];
    const says = `${clear} of its first ${firstEvents} events have words of persons in clear, which no erasure reaches: say parley migrate-events --seal`;
    return [finding('words', 'warning', says)];
  } catch (error) {
    // Other checks report a store that does not answer, or refuses the account.
    if (error instanceof Unavailable || typeof describeFailure(error) === 'string') return [];
    throw error;
  } finally {
    await store.dispose();
  }
}
