import { Controller, Get, Param, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf } from '@app/http';
import { notFound, refuse, type OperationId } from '@app/kernel';
import { FinancialOperations } from './financial-operations';
import { FinancialOperation, FinancialOperationPage, type OperationView } from './operation.schema';
import { OperationQueries } from './operations.queries';
import { withdrawalExamples } from './withdrawal.example';
import { ListOperationsDto } from './withdrawals.dto';

/** What became of money that was asked for: the only evidence of settlement (docs/decisions/money.md). */
@Controller('/v1/users/:userId/financial-operations')
export class FinancialOperationsController {
  constructor(
    private readonly operations: FinancialOperations,
    private readonly queries: OperationQueries,
    private readonly cursors: Cursors,
  ) {}

  @Get()
  @Operation('financialOperations.list', {
    summary: 'Financial operations, newest first',
    answer: FinancialOperationPage,
    answerExample: { data: [withdrawalExamples.operation], nextCursor: null, total: 1 },
  })
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

  @Get(':operationId')
  @Operation('financialOperations.get', {
    summary: 'What became of money that was asked for',
    description:
      'The only evidence of settlement, and never behind: it is folded from the journal of the operation itself.',
    answer: FinancialOperation,
    answerExample: withdrawalExamples.operation,
  })
  async get(@Caller() { userId }: Caller, @Param('operationId') operationId: OperationId): Promise<OperationView> {
    const operation = await this.operations.find(userId, operationId);
    return operation ?? answer(refuse(notFound));
  }
}
