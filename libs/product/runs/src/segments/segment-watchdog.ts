import { Injectable, Logger } from '@nestjs/common';
import { budgetKind, Budgets, type SegmentSpend } from '@app/budget';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, EventStore, streamName, unlessDamaged } from '@app/event-store';
import { causeOfEvent, causeOfService, type Cause, type ConversationId } from '@app/kernel';
import { Database, keepLeading } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExecutionSlots, type ExecutableSegment } from '../slots/execution-slots';
import { GoneSegments, idsIn } from './gone-segments';
import { RunLeases } from '../slots/run-leases';
import { SegmentClosing, segmentEndIn, type SegmentEnd } from './segment-closing';

/** A reservation without a run that is idle for this long belongs to an admission that crashed or was refused. */
const orphanAfterMs = 30_000;
/** The process that ended a segment closes it; if that has not happened for this long, it never will. */
const unclosedAfterMs = 4_000;
/** A live run that has no slot for this long has lost it, or never had one. */
const slotlessAfterMs = 4_000;
const sweepEveryMs = 2_500;
const foundAtOnceMax = 200;
/** Events of a conversation in one page. */
const pageEvents = 500;

/** An open reservation whose run is over, waits, or never existed. */
interface IdleReservation extends Omit<SegmentSpend, 'cause'> {
  /** Null if there is no such run. */
  readonly conversationId: ConversationId | null;
  readonly startedSeq: number | null;
}

/**
 * Repairs the effects of crashes: reservations that were neither settled nor released, slots that were not given back, live runs without a
 * slot.
 */
@Injectable()
export class SegmentWatchdog {
  private readonly logger = new Logger(SegmentWatchdog.name);
  private firstSeenMs = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly leases: RunLeases,
    private readonly closing: SegmentClosing,
    private readonly gone: GoneSegments,
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

  /** Runs one round. */
  async sweep(): Promise<void> {
    await this.slots.sweep();
    await this.gone.settle();
    const [idle, slotless] = [await this.idleReservations(), await this.slotlessSegments()];
    const nowMs = performance.now();
    const keys = [...idle.map(reservationKey), ...slotless.map(slotKey)];
    this.firstSeenMs = new Map(keys.map((key) => [key, this.firstSeenMs.get(key) ?? nowMs]));
    const seenForMs = (key: string) => nowMs - (this.firstSeenMs.get(key) ?? nowMs);
    for (const reservation of idle)
      await unlessDamaged(() => this.mendReservation(reservation, seenForMs(reservationKey(reservation))));
    for (const segment of slotless)
      if (seenForMs(slotKey(segment)) >= slotlessAfterMs) await unlessDamaged(() => this.giveSlot(segment));
  }

  /** Settles the segment's cost from its journal; if there is no run, releases its reservation. */
  private async mendReservation(reservation: IdleReservation, seenForMs: number): Promise<void> {
    const { runKey, segment, conversationId, startedSeq } = reservation;
    if (seenForMs < unclosedAfterMs) return;
    const over = conversationId === null ? null : await this.endOf(conversationId, startedSeq ?? 1, reservation);
    if (conversationId !== null && over !== null) {
      await this.closing.close(over.end, conversationId, over.cause);
      this.logger.log({ msg: 'closed a segment that was left open', runKey, segment });
    } else if (seenForMs >= orphanAfterMs) {
      const cause = causeOfService('segment-watchdog', `watchdog-${runKey}`, runKey);
      await this.budgets.release({ ...reservation, cause });
      this.logger.log({ msg: 'released an orphaned reservation', runKey, segment });
    }
  }

  /** Gives a live run without a slot a new one, if there is one, and has it executed. */
  private async giveSlot(segment: ExecutableSegment): Promise<void> {
    if ((await this.slots.take(segment)) === 'taken') await this.leases.handOver(segment);
  }

  /** The end of a segment in its journal; null if there is none. */
  private async endOf(
    conversationId: ConversationId,
    startedSeq: number,
    { runKey, segment }: Pick<SegmentSpend, 'runKey' | 'segment'>,
  ): Promise<{ readonly end: SegmentEnd; readonly cause: Cause } | null> {
    const stream = streamName(conversationKind, conversationId);
    for (let from = startedSeq - 1; ; from += pageEvents) {
      const page = await this.store.readStream(stream, from, pageEvents);
      for (const stored of page) {
        const end = segmentEndIn([decodeEvent<ConversationEvent>(conversationKind, stored).event]);
        if (end?.runKey === runKey && end.segment === segment)
          return { end, cause: causeOfEvent('segment-watchdog', stored) };
      }
      if (page.length < pageEvents) return null;
    }
  }

  /** Open reservations whose run was never admitted, or whose segment is over; none that a damaged stream holds up. */
  private async idleReservations(): Promise<IdleReservation[]> {
    return this.database.query<IdleReservation>(
      `SELECT b.user_id AS "userId", b.run_key AS "runKey", b.run_id AS "runId", b.segment,
              r.conversation_id AS "conversationId", r.started_seq AS "startedSeq"
       FROM {budget_reservations} AS b LEFT JOIN {runs} AS r ON r.run_key = b.run_key
       WHERE b.status = 'open' AND (r.run_key IS NULL OR r.status IN ('completed', 'failed', 'aborted')
         OR r.segment > b.segment OR (r.status = 'awaiting_approval' AND r.segment = b.segment))
         AND (r.conversation_id = ANY($2::uuid[]) OR b.user_id = ANY($3::uuid[])) IS NOT TRUE
       ORDER BY b.position LIMIT $1`,
      [foundAtOnceMax, ...this.damaged()],
    );
  }

  private async slotlessSegments(): Promise<ExecutableSegment[]> {
    return this.database.query<ExecutableSegment>(
      `SELECT run_key AS "runKey", id AS "runId", user_id AS "userId", conversation_id AS "conversationId", segment
       FROM {runs} WHERE status IN ('queued', 'running', 'stopping')
         AND NOT EXISTS (SELECT 1 FROM execution_slots AS s WHERE s.run_key = {runs}.run_key AND s.segment = {runs}.segment)
         AND conversation_id <> ALL($2::uuid[]) AND user_id <> ALL($3::uuid[])
       ORDER BY opened_position LIMIT $1`,
      [foundAtOnceMax, ...this.damaged()],
    );
  }

  /** The damaged conversations, and the users of damaged budgets; however many there are, they hold up nothing else. */
  private damaged(): readonly [conversations: string[], users: string[]] {
    const { all } = this.store.damaged;
    return [idsIn(conversationKind, all), idsIn(budgetKind, all)];
  }
}

function reservationKey({ runKey, segment }: IdleReservation): string {
  return `reservation/${runKey}/${segment}`;
}

function slotKey({ runKey, segment }: ExecutableSegment): string {
  return `slot/${runKey}/${segment}`;
}
