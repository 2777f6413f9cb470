import type { EventStoreDBClient } from '@eventstore/db-client';

/**
 * Open calls on one connection. A real server takes up 100 (Kestrel's default; seen on EventStoreDB 23.10.6): the next one gets no
 * answer and no error until another ends, and appends and reads wait behind it.
 */
const openCallsMax = 80;
/** The BatchAppend call, and the one that takes its place while it ends. */
const appends = 2;
const looks = 3;

/** What each kind of call may have of the connection for calls. */
export const shares = { looks, reads: openCallsMax - appends - looks } as const;

const subscriptions = new WeakMap<EventStoreDBClient, number>();

/** Runs one subscription of a client. Throws when it has 80 already: more readers than that have to share a subscription. */
export async function asSubscription(client: EventStoreDBClient, run: () => Promise<void>): Promise<void> {
  const open = subscriptions.get(client) ?? 0;
  if (open >= openCallsMax) throw new Error(`one connection to the event store has ${openCallsMax} subscriptions`);
  subscriptions.set(client, open + 1);
  try {
    await run();
  } finally {
    subscriptions.set(client, (subscriptions.get(client) ?? 1) - 1);
  }
}
