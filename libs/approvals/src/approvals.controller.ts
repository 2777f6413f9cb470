import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf, type Page } from '@app/http';
import { notFound, refuse, type ApprovalId } from '@app/kernel';
import type { ApprovalView } from './approval.view';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approvals.dto';
import { ApprovalQueries, approvalView } from './approvals.queries';
import { DecideApproval, type Decided } from './decide-approval';
import type { Receipt } from './receipt';
import { Receipts } from './receipts';

/** Approvals (specification, "Approvals"; decisions.md, section 4). */
@Controller('/v1/users/:userId/approvals')
export class ApprovalsController {
  constructor(
    private readonly queries: ApprovalQueries,
    private readonly decisions: DecideApproval,
    private readonly receipts: Receipts,
    private readonly cursors: Cursors,
  ) {}

  @Get()
  @Operation('approvals.list')
  async list(
    @Caller() { userId }: Caller,
    @Query() query: ListApprovalsDto,
  ): Promise<Page<ApprovalView> & { total: number }> {
    const { cursor, limit, status = 'pending' } = query;
    const binding = { list: 'approvals.list', userId, filters: { status } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, status, before, limit + 1),
      this.queries.total(userId, status),
    ]);
    return { ...pageOf(rows, limit, approvalView, (row) => this.cursors.mint(binding, [row.openedPosition])), total };
  }

  @Get(':approvalId')
  @Operation('approvals.get')
  async get(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<ApprovalView> {
    const approval = await this.queries.findAsOfNow(userId, approvalId);
    return approval === null ? answer(refuse(notFound)) : approvalView(approval);
  }

  @Post(':approvalId/approve')
  @HttpCode(200)
  @Operation('approvals.approve')
  async approve(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { fingerprint }: ApproveDto,
  ): Promise<Decided> {
    return answer(await this.decisions.approve(caller, approvalId, fingerprint));
  }

  @Post(':approvalId/deny')
  @HttpCode(200)
  @Operation('approvals.deny')
  async deny(
    @Caller() caller: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { reason }: DenyDto,
  ): Promise<Decided> {
    return answer(await this.decisions.deny(caller, approvalId, reason ?? null));
  }

  /** The document that proves what was reviewed, what was decided and what came of it; `verifyReceipt` checks it offline. */
  @Get(':approvalId/receipt')
  @Operation('approvals.receipt')
  async receipt(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<Receipt> {
    return answer(await this.receipts.of(userId, approvalId));
  }
}
