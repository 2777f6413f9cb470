import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DamagedStream, NotInEffect, Unavailable } from '@app/kernel';
import { Database, keepLeading } from '@app/read-store';
import { FairTurns } from '@app/runtime';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorChanges } from './operator-changes';
import { isBrake, waitedFor } from './order-of-changes';
import type { Intent } from '../operator-log/operator-log.events';
import { pendingMax } from '../operator-log/operator-log.decider';

/** Real time, because moving the sandbox clock makes nothing overdue. */
const sweepEveryMs = 1_000;
/** By then the process that logged the intent has begun the change, has died, or could not reach a store. */
const overdueAfterMs = 4_000;
/** Changes tried at once, in all and of one operation: fewer than the connections of a pool, since each may wait for a lock. */
const bounds = { atOnceMax: 6, atOncePerKeyMax: 3, waitingPerKeyMax: pendingMax };

/**
 * Completes changes that a crash interrupted, in one process of the deployment. Changes of different targets are tried side by side; their
 * operations take turns, and brakes have turns of their own, so that changes that wait for a lock delay no others.
 */
@Injectable()
export class OperatorWatchdog implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OperatorWatchdog.name);
  private readonly stopping = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private firstSeenMs = new Map<string, number>();
  /** Tries that are in flight or wait for their turn, by intent: each resolves to whether the change is completed, and never rejects. */
  private readonly tries = new Map<string, Promise<boolean>>();
  private readonly turns = { ofBrakes: new FairTurns(bounds), ofOthers: new FairTurns(bounds) };

  constructor(
    private readonly database: Database,
    private readonly changes: OperatorChanges,
  ) {}

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    this.work = keepLeading(leaderSession, 'operators', this.stopping.signal, async (leading) => {
      setMaxListeners(0, leading); // each try that waits for its turn listens
      try {
        while (!leading.aborted) {
          await this.sweep(leading);
          await sleep(sweepEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
        }
      } finally {
        await Promise.all(this.tries.values());
      }
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  /** Begins to try all that is overdue and is not tried already. @throws Unavailable */
  private async sweep(leading: AbortSignal): Promise<void> {
    const pending = await this.changes.pending();
    const nowMs = performance.now();
    this.firstSeenMs = new Map(pending.map(({ intentId }) => [intentId, this.firstSeenMs.get(intentId) ?? nowMs]));
    for (const intent of pending) {
      const { intentId } = intent;
      const isOverdue = nowMs - (this.firstSeenMs.get(intentId) ?? nowMs) >= overdueAfterMs;
      if (!isOverdue || this.tries.has(intentId)) continue;
      // An earlier one that is not tried is not completed either.
      const earlier = waitedFor(pending, intent).map((one) => this.tries.get(one.intentId) ?? Promise.resolve(false));
      const tried = this.tryAfter(earlier, intent, leading).finally(() => this.tries.delete(intentId));
      this.tries.set(intentId, tried);
    }
  }

  private async tryAfter(earlier: Promise<boolean>[], intent: Intent, leading: AbortSignal): Promise<boolean> {
    // After a failure the later ones wait for another sweep.
    if ((await Promise.all(earlier)).includes(false)) return false;
    const turns = isBrake(intent) ? this.turns.ofBrakes : this.turns.ofOthers;
    // Rejects where another process leads before the turn comes.
    return turns.run(intent.operation, leading, () => this.complete(intent)).catch(() => false);
  }

  private async complete(intent: Intent): Promise<boolean> {
    const { intentId, operation, target } = intent;
    try {
      // Its request may have completed it meanwhile.
      if (!(await this.changes.isPending(intent))) return true;
      await this.changes.complete(intent);
      this.logger.log({ msg: 'completed a change that was cut', intentId, operation, target });
      return true;
    } catch (error) {
      this.logger.warn({ msg: failureMessage(error), intentId, operation, target, err: error });
      return false;
    }
  }
}

function failureMessage(error: unknown): string {
  if (error instanceof DamagedStream) return 'a change of a damaged stream is given up';
  if (error instanceof NotInEffect) return 'a change is completed and not in effect yet';
  return error instanceof Unavailable ? 'a change is not completed yet' : 'a change failed by a fault of ours';
}
