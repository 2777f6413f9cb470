import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { isVisible, type ApprovalId } from '@app/kernel';
import { Decided, type ApprovalView } from './approval/approval.schema';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approval/approvals.dto';
import { listApprovals, getApproval, approve, deny } from './approvals.contract';
import { DecideApproval, DecideApprovalHandler } from './approval/decide-approval';
import { GetApproval, GetApprovalHandler } from './approval/get-approval';
import { ListApprovals, ListApprovalsHandler } from './approval/list-approvals';

/** Approvals (specification, "Approvals"; docs/decisions/approvals.md). */
@Controller()
export class ApprovalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(listApprovals)
  async list(@Caller() { userId }: Caller, @Query() query: ListApprovalsDto): Promise<string> {
    return answer(await this.queries.execute(new ListApprovals(userId, query)));
  }

  @Serves(getApproval)
  async get(@Caller() { userId }: Caller, @Param('approvalId') approvalId: ApprovalId): Promise<ApprovalView> {
    return answer(await this.queries.execute(new GetApproval(userId, approvalId)));
  }

  @Serves(approve)
  async approve(
    @Caller() { userId, cause }: Caller,
    @Param('approvalId') approvalId: ApprovalId,
    @Body() { fingerprint }: ApproveDto,
  ): Promise<Decided> {
    const decision = { status: 'approved', fingerprint } as const;
    return answer(await this.commands.execute(new DecideApproval({ userId, approvalId, decision, cause })));
  }

  @Serves(deny)
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

/** The handlers of the commands and queries that it executes. */
export const approvalsHandlers = [DecideApprovalHandler, GetApprovalHandler, ListApprovalsHandler];
