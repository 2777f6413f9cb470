import type { EventStore, StoredEvent } from '@app/event-store';
import type { Database } from './database';
import { keepLeading, type leaderLocks } from './leadership';
import { PostponedReactions } from './postponed-reactions';

/** A process over events: given these, it gives commands. It must be idempotent, since an event comes at least once. */
export interface Reactor {
  /** Names the checkpoint. */
  readonly name: string;
  readonly lock: keyof typeof leaderLocks;
  readonly categories: readonly string[];
  /** Events with the same key come one after the other; without it, those of one stream do. */
  orderKey?(stored: StoredEvent): string;
  /** Handles one event; a throw makes it come again after a pause, of DamagedStream once that stream is whole. */
  react(stored: StoredEvent): Promise<void>;
}

/** Events of one batch that are reacted to at once; those of one order key stay in order. */
const keysAtOnceMax = 16;

/** Real time. Quiet reactors are called once a second as well. */
const triedEveryMs = 10_000;

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
    const postponed = await PostponedReactions.read(database, store, reactor.name);
    let triedAtMs = performance.now() - triedEveryMs;
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
          if (performance.now() - triedAtMs >= triedEveryMs) {
            triedAtMs = performance.now();
            await postponed.tryAgain((stored) => reactor.react(stored));
          }
          await reactTo(reactor, events, postponed);
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

async function reactTo(reactor: Reactor, events: readonly StoredEvent[], postponed: PostponedReactions): Promise<void> {
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
        for (const stored of ofOneKey) await postponed.reactTo(stored, (one) => reactor.react(one));
      }),
    );
    // Only when all of them have ended: the events come again, and those of one key must not overtake themselves.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
