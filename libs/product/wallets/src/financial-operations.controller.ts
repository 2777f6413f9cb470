import { Controller, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, pageOf, Serves } from '@app/http';
import { notFound, refuse, type OperationId } from '@app/kernel';
import { FinancialOperations } from './financial-operations';
import { FinancialOperationPage, type OperationView } from './operation.schema';
import { OperationQueries } from './operations.queries';
import { ListOperationsDto } from './withdrawals.dto';
import { listFinancialOperations, getFinancialOperation } from './financial-operations.contract';

/** What became of money that was asked for: the only evidence of settlement (docs/decisions/money.md). */
@Controller()
export class FinancialOperationsController {
  constructor(
    private readonly operations: FinancialOperations,
    private readonly queries: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Serves(listFinancialOperations)
  async list(@Caller() { userId }: Caller, @Query() query: ListOperationsDto): Promise<FinancialOperationPage> {
    const { cursor, limit } = query;
    const status = query.status ?? null;
    const binding = { list: 'financialOperations.list', userId, filters: { status } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, status, before, limit + 1),
      this.queries.total(userId, status),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ openedPosition: _, ...operation }) => operation,
      (row) => this.cursors.mint(binding, [row.openedPosition]),
    );
    return { ...page, total };
  }

  @Serves(getFinancialOperation)
  async get(@Caller() { userId }: Caller, @Param('operationId') operationId: OperationId): Promise<OperationView> {
    const operation = await this.operations.find(userId, operationId);
    return operation ?? answer(refuse(notFound));
  }
}
