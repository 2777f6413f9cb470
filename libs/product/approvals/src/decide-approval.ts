import { Injectable } from '@nestjs/common';
import { ApprovalHomes, type ApprovalVerdict } from '@app/consent';
import {
  asId,
  invalid,
  notFound,
  ok,
  refuse,
  type ApprovalId,
  type Cause,
  type Result,
  type UserId,
} from '@app/kernel';
import type { Decided } from './approval.schema';
import { ApprovalQueries, type SelectedApproval } from './approvals.queries';

interface Decider {
  readonly userId: UserId;
  readonly cause: Cause;
}

/**
 * The user's decision on an approval (docs/decisions/approvals.md), recorded by the home of the stream that holds it.
 * Every call throws Unavailable when a store is away; then the client reads what was recorded.
 */
@Injectable()
export class DecideApproval {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly homes: ApprovalHomes,
  ) {}

  /** Refused with `invalid_input` at `/fingerprint` unless that is the approval's; a withdrawal is confirmed, never approved here. */
  async approve({ userId, cause }: Decider, approvalId: ApprovalId, fingerprint: string): Promise<Result<Decided>> {
    const approval = await this.queries.find(userId, approvalId);
    if (approval === null) return refuse(notFound);
    if (approval.fingerprint !== fingerprint) return refuse(invalid('/fingerprint', "is not the approval's"));
    return this.decide(approval, { status: 'approved' }, cause);
  }

  /** The run goes on without the call's result; of a withdrawal, the operation is over. */
  async deny({ userId, cause }: Decider, approvalId: ApprovalId, reason: string | null): Promise<Result<Decided>> {
    const approval = await this.queries.find(userId, approvalId);
    if (approval === null) return refuse(notFound);
    return this.decide(approval, { status: 'denied', denialReason: reason }, cause);
  }

  private async decide(
    { id, stream }: SelectedApproval,
    verdict: ApprovalVerdict,
    cause: Cause,
  ): Promise<Result<Decided>> {
    const { home, streamId } = this.homes.of(stream);
    const decided = await home.decide({ approvalId: asId<ApprovalId>(id), streamId }, verdict, cause);
    return decided.ok ? ok({ decided: true }) : decided;
  }
}
