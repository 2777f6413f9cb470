import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { AppName, TestProcess } from '@app/testing/processes';
import {
  auditJournal,
  auditOperations,
  type Findings,
  type Seen,
  settled,
  unbalanced,
  unlikeAReplay,
} from '@app/testing/audits';
import { type Acknowledged, Journey, seededRandom } from '@app/testing/journeys';
import { keepAlive } from './keep-alive';
import { KillOrders, type KillOrder, type PassedPoints } from './kill-orders';
import { MoneyJourney } from './money-journey';

/** Kills nobody: the process only counts. */
const onlyCount: KillOrder = { point: null, nth: 0 };

const armAttemptsMax = 100;
const armAgainMs = 200;

/** The deaths of one process in one journey: where it dies, and where the one that takes its place does, if at all. */
export interface Deaths {
  readonly first: KillOrder;
  readonly second: KillOrder | null;
}

/** One journey, with deaths in store for the processes that are named. */
export interface Round {
  readonly seed: number;
  readonly deaths: { readonly [App in AppName]?: Deaths };
}

export interface LaneFindings extends Findings {
  /** What is still held although nothing goes on. */
  readonly left: readonly string[];
  /** Where the read models are not what a replay of all events comes to. */
  readonly unlike: readonly string[];
  /** Money that was lost, doubled or stuck. */
  readonly money: readonly string[];
  /** What came twice, or out of order, on a stream. */
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

/** A deployment whose processes are killed round after round, and all that it promised meanwhile. */
export class KillLane {
  private readonly acknowledged: Acknowledged[] = [];
  private readonly confirmed: string[] = [];
  private readonly delivered: Seen[] = [];
  private readonly faults: string[] = [];

  private constructor(
    private readonly deployment: Deployment,
    private readonly orders: KillOrders,
    private readonly folder: string,
  ) {}

  /** @param weather the seed of an event store's bad day */
  static async start(weather?: string): Promise<KillLane> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-kills-'));
    const orders = new KillOrders(folder);
    const deployment = await startDeployment({ mode: 'processes', env: orders.env, ...(weather && { weather }) });
    return new KillLane(deployment, orders, folder);
  }

  /** Walks a journey that nobody is killed in; answers how often each process passed each point. */
  async count(): Promise<PassedByApp> {
    return this.round({ seed: 0, deaths: {} });
  }

  /** Walks one journey; answers how often each process passed each point since it started or got its order. */
  async round({ seed, deaths }: Round): Promise<PassedByApp> {
    const client = await this.deployment.newUser();
    const journey = new Journey(client, seededRandom(seed));
    const money = new MoneyJourney(client, journey);
    const kept = [keepAlive(this.process('worker')), keepAlive(this.process('api'))];
    let passed: PassedByApp;
    try {
      await this.give('worker', deaths.worker ?? null);
      await this.give('api', deaths.api ?? null);
      await Promise.all([journey.walk(), money.walk()]);
      // An order that was not reached would kill in the next round, before anybody starts the process again.
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

  /** Where a process was killed so far, as `app point nth`. */
  async kills(): Promise<string[]> {
    return this.orders.carriedOut();
  }

  /** How often the event store did what to its clients. */
  weather(): Record<string, number> {
    const lines = this.deployment.eventStore?.output.matchAll(/"strike":"(\w+)"/g) ?? [];
    const counts: Record<string, number> = {};
    for (const [, strike = ''] of lines) counts[strike] = (counts[strike] ?? 0) + 1;
    return counts;
  }

  /** Waits until the deployment is at rest and looks at everything. */
  async audit(): Promise<LaneFindings> {
    const { databaseUrl, eventStoreUrl } = this.deployment;
    const { events, left } = await settled(databaseUrl, eventStoreUrl);
    const unlike = await unlikeAReplay(databaseUrl, events);
    const money = [...(await unbalanced(databaseUrl)), ...auditOperations(events, this.confirmed)];
    return { ...auditJournal(events, this.acknowledged, this.delivered), left, unlike, money, faults: this.faults };
  }

  async stop(): Promise<void> {
    await this.deployment.stop();
    await rm(this.folder, { recursive: true });
  }

  /** Gives the running process and its successor their orders, or takes back what they have. */
  private async give(app: 'worker' | 'api', deaths: Deaths | null): Promise<PassedPoints> {
    await this.orders.giveNext(app, deaths?.second ?? null);
    return this.arm(app, deaths?.first ?? onlyCount);
  }

  /** A process may die just now of the order that it has: then its successor gets the new one. */
  private async arm(app: 'worker' | 'api', order: KillOrder): Promise<PassedPoints> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.orders.give(this.process(app).pid, order);
      } catch (error) {
        // By its code alone: an error of Node itself is none of jest's realm.
        const isGone = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH';
        if (!isGone || attempt === armAttemptsMax) throw error;
        await sleep(armAgainMs);
      }
    }
  }

  private process(app: 'worker' | 'api'): TestProcess {
    const [process] = app === 'worker' ? this.deployment.workers : this.deployment.apis;
    if (process === undefined) throw new Error(`the deployment has no ${app}`);
    return process;
  }
}
