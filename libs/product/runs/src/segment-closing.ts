import { Inject, Injectable, Logger } from '@nestjs/common';
import { Budgets, type SegmentSpend } from '@app/budget';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, type StoredEvent } from '@app/event-store';
import { causeOfEvent, causeOfService } from '@app/kernel';
import { Database, keepLeading, type Reactor } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExecutionSlots } from './execution-slots';
import { RunLeases } from './run-leases';
import { RunMetrics } from './run-metrics';

/** A reservation that is idle for this long belongs to an admission that crashed or was refused. */
const orphanAfterMs = 30_000;
const sweepEveryMs = 5_000;
const orphansAtOnceMax = 200;

/** Closes a segment when its run has ended or waits for approval: books what it cost and gives its slot back. */
@Injectable()
export class SegmentClosing implements Reactor {
  readonly name = 'segment-closing';
  readonly lock = 'segments';
  readonly categories = [conversationKind.category];

  constructor(
    @Inject(Budgets) private readonly budgets: Budgets,
    @Inject(ExecutionSlots) private readonly slots: ExecutionSlots,
    @Inject(RunMetrics) private readonly metrics: RunMetrics,
  ) {}

  async react(stored: StoredEvent): Promise<void> {
    if (stored.type !== 'run.ended' && stored.type !== 'run.suspended') return;
    const { event } = decodeEvent<ConversationEvent>(conversationKind, stored);
    if (event.type !== 'run.ended' && event.type !== 'run.suspended') return;
    await this.slots.release(event);
    const { runKey, runId, userId, segment, segmentCostCents } = event;
    const cause = causeOfEvent(this.name, stored);
    await this.budgets.settle({ runKey, runId, userId, segment, cause }, { spentCents: segmentCostCents });
    if (event.type === 'run.ended') this.metrics.runEnded(event);
  }
}

/** Releases what failed admissions left behind: reservations, slots, leases (docs/decisions/runs.md, "Headroom"). */
@Injectable()
export class OrphanWatchdog {
  private readonly logger = new Logger(OrphanWatchdog.name);
  private firstSeenMs = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly leases: RunLeases,
  ) {}

  /** Sweeps every few seconds, in one process of the deployment, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await keepLeading(this.database.leaderSession, 'watchdog', signal, async (leading) => {
      while (!leading.aborted) {
        await this.sweep();
        await sleep(sweepEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
      }
    });
  }

  /** One round. */
  async sweep(): Promise<void> {
    await this.slots.sweep();
    await this.leases.sweep();
    for (const orphan of this.seenLongEnough(await this.idleReservations())) {
      const cause = causeOfService('orphan-watchdog', `watchdog-${orphan.runKey}`, orphan.runKey);
      await this.budgets.release({ ...orphan, cause });
      this.logger.log({ msg: 'released an orphaned reservation', runKey: orphan.runKey, segment: orphan.segment });
    }
  }

  /** Those that were idle in every round for long enough, in real time rather than by the service clock. */
  private seenLongEnough(reservations: readonly Reserved[]): Reserved[] {
    const nowMs = performance.now();
    this.firstSeenMs = new Map(reservations.map(({ runKey }) => [runKey, this.firstSeenMs.get(runKey) ?? nowMs]));
    return reservations.filter(({ runKey }) => nowMs - (this.firstSeenMs.get(runKey) ?? nowMs) >= orphanAfterMs);
  }

  /** Open reservations whose run was never admitted, or whose segment is over and was closed before a late claimer reserved again. */
  private async idleReservations(): Promise<Reserved[]> {
    return this.database.query<Reserved>(
      `SELECT b.user_id AS "userId", b.run_key AS "runKey", b.run_id AS "runId", b.segment
       FROM budget_reservations AS b LEFT JOIN runs AS r ON r.run_key = b.run_key
       WHERE b.status = 'open' AND (r.run_key IS NULL OR r.status IN ('completed', 'failed', 'aborted')
         OR r.segment > b.segment OR (r.status = 'awaiting_approval' AND r.segment = b.segment))
       ORDER BY b.position LIMIT $1`,
      [orphansAtOnceMax],
    );
  }
}

type Reserved = Omit<SegmentSpend, 'cause'>;
