import { Controller, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Operator, Serves } from '@app/http';
import type { ApprovalId, JsonValue } from '@app/kernel';
import { listOperatedApprovals, readOperatedReceipt, showApproval } from './approvals.contract';
import { ListOperatedApprovalsDto, type OperatedApproval, type OperatedApprovalPage } from './approvals.schema';
import {
  ListOperatedApprovals,
  ListOperatedApprovalsHandler,
  ReadOperatedReceipt,
  ReadOperatedReceiptHandler,
  ShowApproval,
  ShowApprovalHandler,
} from './operated-approvals';

@Controller()
export class OperatorsApprovalsController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(listOperatedApprovals)
  async list(@Operator() operator: Operator, @Query() query: ListOperatedApprovalsDto): Promise<OperatedApprovalPage> {
    return answer(await this.queries.execute(new ListOperatedApprovals(operator, query)));
  }

  @Serves(showApproval)
  async show(@Operator() operator: Operator, @Param('approvalId') approvalId: ApprovalId): Promise<OperatedApproval> {
    return answer(await this.queries.execute(new ShowApproval(operator, approvalId)));
  }

  @Serves(readOperatedReceipt)
  async receipt(@Operator() operator: Operator, @Param('approvalId') approvalId: ApprovalId): Promise<JsonValue> {
    return answer(await this.queries.execute(new ReadOperatedReceipt(operator, approvalId)));
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsApprovalsHandlers = [
  ListOperatedApprovalsHandler,
  ReadOperatedReceiptHandler,
  ShowApprovalHandler,
];
