import { Logger } from '@nestjs/common';
import type { EventStore, StoredEvent } from '@app/event-store';
import AsyncLock from 'async-lock';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database';
import { keepLeading, type leaderLocks } from '../leading/leadership';
import { PostponedReactions } from './postponed-reactions';
import { ReactorCheckpoints } from './reactor-checkpoints';
import { ReactorLags } from './reactor-lags';
import { rootCauseText } from '../postgres/postgres-errors';

const logger = new Logger('Reactors');

/** A process over events: for the given events it issues commands. It must be idempotent, because delivery is at least once. */
export interface Reactor {
  /** Name of its checkpoint, the position up to which it has reacted. */
  readonly name: string;
  readonly lock: keyof typeof leaderLocks;
  readonly categories: readonly string[];
  /** Events with the same key are handled one after the other; when absent, those of one stream are. */
  orderKey?(stored: StoredEvent): string;
  /** Handles one event. After a throw it is delivered again after a pause; after DamagedStream, once that stream is whole. */
  react(stored: StoredEvent): Promise<void>;
}

/** Order keys of one batch that are handled at once; events of one key stay in order. */
const keysAtOnceMax = 16;

/** Real time between two retries of postponed reactions, whether or not anything is appended. */
const triedEveryMs = 10_000;

/** The reactors of this process: their checkpoints, and their lags. */
export class Reactors {
  readonly checkpoints: ReactorCheckpoints;
  readonly lags = new ReactorLags();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
  ) {
    this.checkpoints = new ReactorCheckpoints(database);
  }

  /** Runs a reactor from its checkpoint, in the one process that leads it, until the signal aborts. */
  async run(reactor: Reactor, signal: AbortSignal): Promise<void> {
    this.store.shared.expect(reactor.categories);
    await keepLeading(this.database.leaderSession, reactor.lock, signal, (leading) => this.lead(reactor, leading));
  }

  private async lead(reactor: Reactor, signal: AbortSignal): Promise<void> {
    const { store, checkpoints, lags } = this;
    const postponed = await PostponedReactions.read(this.database, store, reactor.name);
    const turns = new AsyncLock();
    const inTurn: InTurn = (body) => turns.acquire('reactions', body);
    const after = await checkpoints.read(reactor.name);
    lags.begin(reactor.name, after);
    const followed = new AbortController();
    // Started last: from here on, it ends together with the subscription.
    const tried = makeUp({ reactor, postponed, store, inTurn }, AbortSignal.any([signal, followed.signal]));
    await store.shared
      .follow({
        name: reactor.name,
        categories: reactor.categories,
        after,
        signal,
        onStuck: (isStuck) => (isStuck ? store.stuck.add(reactor.name) : store.stuck.delete(reactor.name)),
        onBatch: async ({ events, upTo }) => {
          lags.handles(reactor.name, events);
          await inTurn(() => reactTo(reactor, events, postponed));
          lags.pass(reactor.name, upTo);
          checkpoints.pass(reactor.name, upTo);
        },
        // Written before the lead is released, because the next leader begins there.
      })
      .finally(async () => {
        followed.abort();
        await tried;
        lags.end(reactor.name);
        return checkpoints.write();
      });
  }
}

type InTurn = (body: () => Promise<void>) => Promise<void>;

interface Postponing {
  readonly reactor: Reactor;
  readonly postponed: PostponedReactions;
  readonly store: EventStore;
  readonly inTurn: InTurn;
}

/**
 * Retries postponed reactions until the signal aborts. While one fails, the reactor is reported as stuck, and continues with the others.
 */
async function makeUp({ reactor, postponed, store, inTurn }: Postponing, signal: AbortSignal): Promise<void> {
  const name = `${reactor.name} (postponed)`;
  while (!signal.aborted) {
    try {
      await inTurn(() => postponed.tryAgain((stored) => reactor.react(stored), signal));
      store.stuck.delete(name);
    } catch (error) {
      store.stuck.add(name);
      logger.warn(`what ${reactor.name} postponed failed again: ${rootCauseText(error)}`);
    }
    await sleep(triedEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
  store.stuck.delete(name);
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
    // Only when all of them have ended: the events are delivered again, and those of one key must not overtake each other.
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
