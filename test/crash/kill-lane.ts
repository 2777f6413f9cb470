import type { AppName, TestProcess } from '@app/testing/processes';
import {
  auditJournal,
  auditOperations,
  type Findings,
  type Seen,
  settled,
  unbalanced,
  unlikeAReplay,
  openedEvents,
} from '@app/testing/audits';
import { type Acknowledged, Journey, seededRandom } from '@app/testing/journeys';
import { keepAlive } from './keep-alive';
import { onlyCount, type KillOrder, type PassedPoints } from './kill-orders';
import { startKillable, type Killable } from './killable';
import { MoneyJourney } from './money-journey';

/**
 * The deaths of an app's processes in one journey: where each dies, and where a process that replaces one dies, if at
 * all.
 */
export interface Deaths {
  readonly first: KillOrder;
  readonly second: KillOrder | null;
}

/** One journey, with the deaths planned for the processes of each app. */
export interface Round {
  readonly seed: number;
  readonly deaths: { readonly [App in AppName]?: Deaths };
}

export interface LaneFindings extends Findings {
  /** Everything still held although nothing is in flight. */
  readonly left: readonly string[];
  /** Differences between the read models and a replay of all events. */
  readonly unlike: readonly string[];
  /** Money that was lost, doubled or stuck. */
  readonly money: readonly string[];
  /** Events that a stream delivered twice or out of order. */
  readonly faults: readonly string[];
}

export const noFindings: LaneFindings = {
  lost: [],
  doubled: [],
  stuck: [],
  gaps: [],
  books: [],
  left: [],
  unlike: [],
  money: [],
  faults: [],
};

interface PassedByApp {
  readonly worker: PassedPoints;
  readonly api: PassedPoints;
}

/** A deployment whose processes are killed round after round, and everything that it acknowledged meanwhile. */
export class KillLane {
  private readonly acknowledged: Acknowledged[] = [];
  private readonly confirmed: string[] = [];
  private readonly delivered: Seen[] = [];
  private readonly faults: string[] = [];

  private constructor(private readonly killable: Killable) {}

  /**
   * Starts two replicas of each app, or one.
   * @param weather the seed of an event store's bad day
   */
  static async start(replicas: 1 | 2, weather?: string): Promise<KillLane> {
    const of = { api: replicas, worker: replicas };
    return new KillLane(await startKillable({ mode: 'processes', replicas: of, ...(weather && { weather }) }));
  }

  /** Walks a journey without kills. Returns how often the processes pass each point. */
  async count(): Promise<PassedByApp> {
    return this.round({ seed: 0, deaths: {} });
  }

  /** Walks one journey. Returns how often the processes passed each point since they started or got their order. */
  async round({ seed, deaths }: Round): Promise<PassedByApp> {
    const { baseUrls } = this.killable.deployment;
    const user = await this.killable.deployment.newUser();
    const client = user.via(baseUrls[seed % baseUrls.length] ?? user.baseUrl);
    const journey = new Journey(client, seededRandom(seed));
    const money = new MoneyJourney(client, journey);
    const kept = [...this.replicas('worker'), ...this.replicas('api')].map(keepAlive);
    let passed: PassedByApp;
    try {
      await this.give('worker', deaths.worker ?? null);
      await this.give('api', deaths.api ?? null);
      await Promise.all([journey.walk(), money.walk()]);
      // An order that was not reached would kill in the next round, before the process is kept alive again.
      passed = { worker: await this.give('worker', null), api: await this.give('api', null) };
    } finally {
      await Promise.all(kept.map((one) => one.leave()));
      await journey.close();
    }
    for (const { conversationId, reader } of journey.readers) {
      this.delivered.push({ conversationId, seen: reader.seen });
      this.faults.push(...reader.faults);
    }
    this.acknowledged.push(...journey.acknowledged);
    this.confirmed.push(...money.confirmed);
    return passed;
  }

  /** The kills so far, as `app point nth`. */
  async kills(): Promise<string[]> {
    return this.killable.orders.carriedOut();
  }

  /** The number of strikes of the event store against its clients, by kind. */
  weather(): Record<string, number> {
    const lines = this.killable.deployment.eventStore?.output.matchAll(/"strike":"(\w+)"/g) ?? [];
    const counts: Record<string, number> = {};
    for (const [, strike = ''] of lines) counts[strike] = (counts[strike] ?? 0) + 1;
    return counts;
  }

  /** Waits until nothing in the deployment is in flight, and audits everything. */
  async audit(): Promise<LaneFindings> {
    const { databaseUrl, eventStoreUrl } = this.killable.deployment;
    const { events, left } = await settled(databaseUrl, eventStoreUrl);
    const unlike = await unlikeAReplay(databaseUrl, events);
    const money = [...(await unbalanced(databaseUrl)), ...auditOperations(events, this.confirmed)];
    return {
      ...auditJournal(await openedEvents(databaseUrl, events), this.acknowledged, this.delivered),
      left,
      unlike,
      money,
      faults: this.faults,
    };
  }

  async stop(): Promise<void> {
    await this.killable.stop();
  }

  /** Gives the running processes and their successor their orders, or withdraws those that they have. */
  private async give(app: 'worker' | 'api', deaths: Deaths | null): Promise<PassedPoints> {
    await this.killable.orders.giveNext(app, deaths?.second ?? null);
    return this.killable.orders.armAll(this.replicas(app), deaths?.first ?? onlyCount);
  }

  private replicas(app: 'worker' | 'api'): readonly TestProcess[] {
    return app === 'worker' ? this.killable.deployment.workers : this.killable.deployment.apis;
  }
}
