import type { AllStreamSubscription, EventStoreDBClient } from '@eventstore/db-client';
import type { Logger } from '@nestjs/common';

/**
 * Open calls on one connection. A real server accepts 100 (Kestrel's default; seen on EventStoreDB 23.10.6): the next call gets no answer
 * and no error until another ends, and appends and reads wait behind it.
 */
const openCallsMax = 80;
/** The BatchAppend call, and its successor while it ends. */
const appends = 2;
const looks = 3;

/** How many calls of each kind may be open on the connection for calls. */
export const shares = { looks, reads: openCallsMax - appends - looks } as const;

const subscriptions = new WeakMap<EventStoreDBClient, number>();

/** Runs one subscription of a client. Throws when the client has 80 already: more readers must share a subscription. */
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

/** Waits until a subscription ends or the signal aborts, and leaves it. An error is logged. */
export async function untilOver(
  subscription: AllStreamSubscription,
  signal: AbortSignal,
  logger: Logger,
): Promise<void> {
  let leave = (): void => undefined;
  await new Promise<void>((resolve) => {
    leave = resolve;
    // Without a listener for it, an error would end the process.
    subscription.on('error', (error) => {
      logger.debug(`watches again: ${error.message}`);
      resolve();
    });
    subscription.on('end', resolve);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) resolve();
  });
  signal.removeEventListener('abort', leave);
  await subscription.unsubscribe().catch(() => undefined); // it is broken or being ended; there is nothing to undo
  subscription.destroy();
}
