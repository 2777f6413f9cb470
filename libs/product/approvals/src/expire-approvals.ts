import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AutomationApprovals, automationKind } from '@app/automations';
import { conversationKind } from '@app/conversations';
import { idInStream, Streams } from '@app/event-store';
import {
  asId,
  Clock,
  type ApprovalId,
  type AutomationId,
  type Cause,
  type Instant,
  type JsonValue,
  type OperationId,
  type RequestId,
} from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { Timers } from '@app/timers';
import { operationKind, WithdrawalApprovals } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import { ApprovalRow } from './approval.row';

/** Timers that one sweep schedules again. */
const missingAtOnceMax = 500;

/** A pending approval whose time is kept by a timer. */
interface Pending {
  readonly approvalId: string;
  /** `conversation-<id>`, `operation-<id>` or `automation-<id>`. */
  readonly stream: string;
  readonly expiresAt: Instant;
}

/**
 * Ends approvals whose time is over, by the service clock: whoever opens one schedules the timer `approval/<approvalId>` first.
 * Only the streams decide: a timer that comes early, twice or for nothing changes nothing.
 */
@Injectable()
export class ExpireApprovals implements OnModuleInit {
  constructor(
    private readonly timers: Timers,
    private readonly streams: Streams,
    private readonly withdrawals: WithdrawalApprovals,
    private readonly automations: AutomationApprovals,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.handle('approval', ({ payload }) =>
      this.expire(textOf(payload['approvalId']), textOf(payload['stream'])),
    );
  }

  /** Schedules the timers of pending approvals that have none (a crash of PostgreSQL may lose some); answers how many. */
  async sweep(): Promise<number> {
    const missing = await this.database.query<Pending>(
      `SELECT a.id AS "approvalId", ${selectList(ApprovalRow, ['stream', 'expiresAt'], { table: 'a' })} FROM approvals AS a
       WHERE a.status = 'pending' AND NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = 'approval/' || a.id)
       ORDER BY a.expires_at LIMIT $1`,
      [missingAtOnceMax],
    );
    for (const { approvalId, stream, expiresAt } of missing) {
      const payload = { approvalId, stream };
      await this.timers.schedule({ id: `approval/${approvalId}`, kind: 'approval', dueAt: expiresAt, payload });
    }
    return missing.length;
  }

  private async expire(approvalId: ApprovalId, stream: string): Promise<void> {
    const cause = await this.causeOf(approvalId);
    const operationId = idInStream(operationKind, stream);
    if (operationId !== null) {
      await this.withdrawals.expire({ operationId: asId<OperationId>(operationId), approvalId }, cause);
      return;
    }
    const automationId = idInStream(automationKind, stream);
    if (automationId !== null) {
      await this.automations.expire({ automationId: asId<AutomationId>(automationId), approvalId }, cause);
      return;
    }
    const conversationId = idInStream(conversationKind, stream);
    if (conversationId === null) throw new Error(`no approval can be in ${stream}`);
    const command = { type: 'ExpireApproval', at: this.clock.now(), approvalId } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (!done.ok) throw new Error(`an expiry was refused: ${JSON.stringify(done.refusal)}`);
  }

  /** It continues the request that the approval was opened for. */
  private async causeOf(approvalId: ApprovalId): Promise<Cause> {
    const actor = { kind: 'service', id: 'approval-expiry' } as const;
    const [row] = await this.database.query<Pick<ApprovalRow, 'openedBy'>>(
      `SELECT ${selectList(ApprovalRow, ['openedBy'])} FROM approvals WHERE id = $1`,
      [approvalId],
    );
    if (row === undefined) {
      // Opened so lately that the read model does not have it.
      const id = uuidV7();
      return { actor, requestId: asId<RequestId>(id), correlationId: id, causationId: id };
    }
    const { requestId, correlationId, eventId } = row.openedBy;
    return { actor, requestId: asId<RequestId>(requestId), correlationId, causationId: eventId };
  }
}

function textOf<Id extends string>(value: JsonValue | undefined): Id {
  if (typeof value !== 'string') throw new Error('a timer of kind approval names an approval and its stream');
  // Reason for the assertion: timers of this kind are written by the product alone.
  return value as Id;
}
