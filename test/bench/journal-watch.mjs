// Observes the arrival of a conversation's events, as the store's own client delivers them.
import { streamOf } from './conversations.mjs';

const arrivesWithinMs = 30_000;

/**
 * Follows a conversation from its beginning. `until(matches)` resolves with the first matching event after the one that
 * the last call returned: the event and the moment of its arrival.
 */
export function watchJournal(client, conversationId) {
  const arrived = [];
  let wake = () => undefined;
  let failure = null;
  const subscription = client.subscribeToStream(streamOf(conversationId), { fromRevision: 'start' });
  subscription.on('error', (error) => {
    failure = error;
    wake();
  });
  subscription.on('data', ({ event }) => {
    arrived.push({ event, atMs: performance.now() });
    wake();
  });
  const nextMatch = async (matches) => {
    for (;;) {
      if (failure) throw failure;
      const index = arrived.findIndex(({ event }) => matches(event));
      if (index >= 0) return arrived.splice(0, index + 1).at(-1);
      arrived.length = 0;
      await new Promise((resolve) => (wake = resolve));
    }
  };
  return {
    until: async (matches) => {
      const deadline = setTimeout(() => {
        failure = new Error(`no such event in ${arrivesWithinMs} ms`);
        wake();
      }, arrivesWithinMs);
      return nextMatch(matches).finally(() => clearTimeout(deadline));
    },
    close: () => subscription.unsubscribe(),
  };
}
