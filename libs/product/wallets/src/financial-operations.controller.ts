import { Controller, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import type { OperationId } from '@app/kernel';
import { listFinancialOperations, getFinancialOperation } from './financial-operations.contract';
import {
  GetFinancialOperation,
  GetFinancialOperationHandler,
  ListFinancialOperations,
  ListFinancialOperationsHandler,
} from './operation/show-operations';
import { FinancialOperationPage, type OperationView } from './operation/operation.schema';
import { ListOperationsDto } from './operation/operations.dto';

/** The outcomes of requested transfers: the only evidence of settlement (docs/decisions/money.md). */
@Controller()
export class FinancialOperationsController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(listFinancialOperations)
  async list(@Caller() { userId }: Caller, @Query() query: ListOperationsDto): Promise<FinancialOperationPage> {
    return answer(await this.queries.execute(new ListFinancialOperations(userId, query)));
  }

  @Serves(getFinancialOperation)
  async get(@Caller() { userId }: Caller, @Param('operationId') operationId: OperationId): Promise<OperationView> {
    return answer(await this.queries.execute(new GetFinancialOperation(userId, operationId)));
  }
}

/** Handlers of the queries that the controller executes. */
export const financialOperationsHandlers = [GetFinancialOperationHandler, ListFinancialOperationsHandler];
