import type { EventStore, StoredEvent } from '@app/event-store';
import type { Database } from './database';
import { keepLeading, type leaderLocks } from './leadership';

/** A process over events: given these, it gives commands. It must be idempotent, since an event comes at least once. */
export interface Reactor {
  /** Names the checkpoint. */
  readonly name: string;
  readonly lock: keyof typeof leaderLocks;
  readonly categories: readonly string[];
  /** Events with the same key come one after the other; without it, those of one stream do. */
  orderKey?(stored: StoredEvent): string;
  /** Handles one event; a throw makes it come again after a pause. */
  react(stored: StoredEvent): Promise<void>;
}

/** Events of one batch that are reacted to at once; those of one order key stay in order. */
const keysAtOnceMax = 16;

/** Runs a reactor from its checkpoint on, in the one process that leads it, until the signal aborts. */
export async function runReactor(
  database: Database,
  store: EventStore,
  reactor: Reactor,
  signal: AbortSignal,
): Promise<void> {
  store.shared.expect(reactor.categories);
  await keepLeading(database.leaderSession, reactor.lock, signal, async (leading) => {
    const { reactorCheckpoints, reactorLags } = database;
    const after = await reactorCheckpoints.read(reactor.name);
    reactorLags.begin(reactor.name, after);
    await store.shared
      .follow({
        name: reactor.name,
        categories: reactor.categories,
        after,
        signal: leading,
        onStuck: (isStuck) => (isStuck ? store.stuck.add(reactor.name) : store.stuck.delete(reactor.name)),
        onBatch: async ({ events, upTo }) => {
          reactorLags.handles(reactor.name, events);
          await reactTo(reactor, events);
          reactorLags.pass(reactor.name, upTo);
          reactorCheckpoints.pass(reactor.name, upTo);
        },
        // Before the lead is given back: who takes over begins there.
      })
      .finally(() => {
        reactorLags.end(reactor.name);
        return reactorCheckpoints.write();
      });
  });
}

async function reactTo(reactor: Reactor, events: readonly StoredEvent[]): Promise<void> {
  const byKey = new Map<string, StoredEvent[]>();
  for (const stored of events) {
    const key = reactor.orderKey?.(stored) ?? stored.stream;
    const earlier = byKey.get(key);
    if (earlier === undefined) byKey.set(key, [stored]);
    else earlier.push(stored);
  }
  const rows = [...byKey.values()];
  for (let from = 0; from < rows.length; from += keysAtOnceMax) {
    const group = rows.slice(from, from + keysAtOnceMax);
    const outcomes = await Promise.allSettled(
      group.map(async (ofOneKey) => {
        for (const stored of ofOneKey) await reactor.react(stored);
      }),
    );
    // Only when all of them have ended: the events come again, and those of one key must not overtake themselves.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
