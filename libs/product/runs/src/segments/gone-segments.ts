import { Injectable, Logger } from '@nestjs/common';
import { budgetKind, Budgets, type SegmentSpend } from '@app/budget';
import { conversationKind } from '@app/conversations';
import { EventStore, idInStream, unlessDamaged } from '@app/event-store';
import { causeOfService, parseUuid, type DamagedStream } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';

/** Most segments that are settled in one round. */
const settledAtOnceMax = 200;

interface GoneSegment extends Omit<SegmentSpend, 'cause'> {
  readonly spentCents: number;
}

/**
 * Settles the segments of runs whose conversation was tombstoned. Its stream can no longer be read or appended to, so such a segment gets
 * no end, and no process can claim it. Its cost is that of the steps that the read models took from the whole store.
 */
@Injectable()
export class GoneSegments {
  private readonly logger = new Logger(GoneSegments.name);

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly gate: ReadGate,
    private readonly budgets: Budgets,
  ) {}

  /** Runs one round; does nothing while the read models may lack a step of a run. @throws Unavailable */
  async settle(): Promise<void> {
    const { all } = this.store.damaged;
    const tombstoned = all.filter(({ damage }) => damage === 'tombstoned');
    const ids = idsIn(conversationKind, tombstoned);
    if (ids.length === 0 || !(await this.gate.caughtUp())) return;
    for (const { spentCents, ...segment } of await this.open(ids, idsIn(budgetKind, all))) {
      const cause = causeOfService('segment-watchdog', `watchdog-${segment.runKey}`, segment.runKey);
      await unlessDamaged(() => this.budgets.settle({ ...segment, cause }, { spentCents }));
      this.logger.warn({ msg: 'settled a segment whose conversation was tombstoned', ...segment, spentCents });
    }
  }

  /**
   * Returns the first open segment of each run that no process executes. Its cost is the run's cost minus what earlier segments have
   * booked.
   */
  private async open(ids: readonly string[], notOf: readonly string[]): Promise<GoneSegment[]> {
    return this.database.query<GoneSegment>(
      `SELECT DISTINCT ON (b.run_key) b.user_id AS "userId", b.run_key AS "runKey", b.run_id AS "runId", b.segment,
              greatest(0, r.cost_cents - (SELECT coalesce(sum(e.spent_cents), 0) FROM {budget_entries} AS e
                WHERE e.user_id = r.user_id AND e.run_id = r.id))::integer AS "spentCents"
       FROM {runs} AS r JOIN {budget_reservations} AS b ON b.run_key = r.run_key AND b.status = 'open'
       WHERE r.conversation_id = ANY($1::uuid[]) AND b.user_id <> ALL($2::uuid[])
         AND NOT EXISTS (SELECT 1 FROM execution_slots AS s WHERE s.run_key = r.run_key)
       ORDER BY b.run_key, b.segment LIMIT $3`,
      [ids, notOf, settledAtOnceMax],
    );
  }
}

/** The ids in the names of those damaged streams that are of a kind. Other programs may have created streams whose names contain none. */
export function idsIn(kind: { readonly category: string }, damaged: readonly DamagedStream[]): string[] {
  return damaged.flatMap(({ stream }) => parseUuid(idInStream(kind, stream)) ?? []);
}
