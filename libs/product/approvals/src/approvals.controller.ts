import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { isVisible, type ApprovalId } from '@app/kernel';
import { Decided, type ApprovalView } from './approval/approval.schema';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approval/approvals.dto';
import * as contract from './approvals.contract';
import { DecideApproval } from './approval/decide-approval';
import { GetApproval, ListApprovals } from './approval/approval.queries';

/** Approvals (specification, "Approvals"; docs/decisions/approvals.md). */
@Controller()
export class ApprovalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contract.listApprovals)
  async list(@Caller() { userId }: Caller, @Query() query: ListApprovalsDto): Promise<string> {
    return answer(await this.queries.execute(new ListApprovals(userId, query)));
  }

  @Serves(contract.getApproval)
  async get(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<ApprovalView> {
    return answer(await this.queries.execute(new GetApproval(userId, approvalId)));
  }

  @Serves(contract.approve)
  async approve(
    @Caller() { userId, cause }: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { fingerprint }: ApproveDto,
  ): Promise<Decided> {
    const decision = { status: 'approved', fingerprint } as const;
    return answer(await this.commands.execute(new DecideApproval({ userId, approvalId, decision, cause })));
  }

  @Serves(contract.deny)
  async deny(
    @Caller() { userId, cause }: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { reason }: DenyDto,
  ): Promise<Decided> {
    const decision = {
      status: 'denied',
      denialReason: reason !== undefined && isVisible(reason) ? reason : null,
    } as const;
    return answer(await this.commands.execute(new DecideApproval({ userId, approvalId, decision, cause })));
  }
}
