import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApprovalHomes, approvalTimer, approvalTimers } from '@app/consent';
import { causeOfEvent, causeOfService, type ApprovalId, type Cause, type Instant, type JsonValue } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { ApprovalRow } from './approvals.projection';

/** Most timers that one sweep schedules again. */
const missingAtOnceMax = 500;

/** A pending approval whose expiry needs a timer. */
interface Pending {
  readonly approvalId: ApprovalId;
  /** `conversation-<id>`, `operation-<id>` or `automation-<id>`. */
  readonly stream: string;
  readonly expiresAt: Instant;
}

/**
 * Ends approvals that have expired, by the service clock: opening one schedules its timer first. Only the streams decide: a timer that
 * fires early, twice or for nothing changes nothing.
 */
@Injectable()
export class ExpireApprovals implements OnModuleInit {
  constructor(
    private readonly timers: Timers,
    private readonly homes: ApprovalHomes,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.timers.handle(approvalTimers, ({ payload }) =>
      this.expire(textOf(payload['approvalId']), textOf(payload['stream'])),
    );
  }

  /** Schedules the timers of pending approvals that have none (a crash of PostgreSQL may lose some); returns their number. */
  async sweep(): Promise<number> {
    const missing = await this.database.query<Pending>(
      `SELECT a.id AS "approvalId", ${selectList(ApprovalRow, ['stream', 'expiresAt'], { table: 'a' })} FROM {approvals} AS a
       WHERE a.status = 'pending' AND NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = '${approvalTimers}/' || a.id)
       ORDER BY a.expires_at LIMIT $1`,
      [missingAtOnceMax],
    );
    for (const { approvalId, stream, expiresAt } of missing) {
      await this.timers.schedule(approvalTimer(approvalId, stream, expiresAt));
    }
    return missing.length;
  }

  private async expire(approvalId: ApprovalId, stream: string): Promise<void> {
    const cause = await this.causeOf(approvalId);
    const { home, streamId } = this.homes.of(stream);
    await home.expire({ approvalId, streamId }, cause);
  }

  /** Continues the request that opened the approval. */
  private async causeOf(approvalId: ApprovalId): Promise<Cause> {
    const [row] = await this.database.query<Pick<ApprovalRow, 'openedBy'>>(
      `SELECT ${selectList(ApprovalRow, ['openedBy'])} FROM {approvals} WHERE id = $1`,
      [approvalId],
    );
    // Absent if it was opened so recently that the read model does not have it.
    if (row === undefined) return causeOfService('approval-expiry', uuidV7());
    const { requestId, correlationId, eventId } = row.openedBy;
    return causeOfEvent('approval-expiry', { id: eventId, metadata: { requestId, $correlationId: correlationId } });
  }
}

function textOf<Id extends string>(value: JsonValue | undefined): Id {
  if (typeof value !== 'string') throw new Error('a timer of kind approval names an approval and its stream');
  // Reason for the assertion: only the product writes timers of this kind.
  return value as Id;
}
