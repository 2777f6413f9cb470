import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type ApprovalId, type Result, type UserId } from '@app/kernel';
import type { ApprovalView } from './approval.schema';
import { SelectedApprovals } from './selected-approvals';

/** The user's approval, no older than this query; refuses with `not_found`. @throws Unavailable when a store is away */
export class GetApproval extends Query<Result<ApprovalView>> {
  constructor(
    readonly userId: UserId,
    readonly approvalId: ApprovalId,
  ) {
    super();
  }
}

@QueryHandler(GetApproval)
export class GetApprovalHandler implements IQueryHandler<GetApproval> {
  constructor(private readonly approvals: SelectedApprovals) {}

  async execute({ userId, approvalId }: GetApproval): Promise<Result<ApprovalView>> {
    const selected = await this.approvals.findAsOfNow(userId, approvalId);
    if (selected === null) return refuse(notFound);
    const { stream: _, openedRevision: __, closedRevision: ___, ...approval } = selected;
    return ok(approval);
  }
}
