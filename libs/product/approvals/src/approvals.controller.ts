import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageTextOf, Serves } from '@app/http';
import { notFound, refuse, type ApprovalId } from '@app/kernel';
import { Decided, type ApprovalView } from './approval.schema';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approvals.dto';
import { ApprovalQueries, approvalView } from './approvals.queries';
import { DecideApproval } from './decide-approval';
import { type Receipt } from './receipt.schema';
import { Receipts } from './receipts';
import { listApprovals, getApproval, approve, deny, readReceipt } from './approvals.contract';

/** Approvals (specification, "Approvals"; docs/decisions/approvals.md). */
@Controller()
export class ApprovalsController {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly decisions: DecideApproval,
    private readonly receipts: Receipts,
    private readonly cursors: Cursors,
  ) {}

  @Serves(listApprovals)
  async list(@Caller() { userId }: Caller, @Query() query: ListApprovalsDto): Promise<string> {
    const { cursor, limit, status = 'pending' } = query;
    const binding = { list: 'approvals.list', userId, filters: { status } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, status, before, limit + 1),
      this.queries.total(userId, status),
    ]);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total);
  }

  @Serves(getApproval)
  async get(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<ApprovalView> {
    const approval = await this.queries.findAsOfNow(userId, approvalId);
    return approval === null ? answer(refuse(notFound)) : approvalView(approval);
  }

  @Serves(approve)
  async approve(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { fingerprint }: ApproveDto,
  ): Promise<Decided> {
    return answer(await this.decisions.approve(caller, approvalId, fingerprint));
  }

  @Serves(deny)
  async deny(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { reason }: DenyDto,
  ): Promise<Decided> {
    return answer(await this.decisions.deny(caller, approvalId, reason ?? null));
  }

  /** The document that proves what was reviewed, what was decided and what came of it; `verifyReceipt` checks it offline. */
  @Serves(readReceipt)
  async receipt(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<Receipt> {
    return answer(await this.receipts.of(userId, approvalId));
  }
}
