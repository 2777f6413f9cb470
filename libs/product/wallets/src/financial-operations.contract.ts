import { operation, type OperationGroup } from '@app/http';
import { FinancialOperation, FinancialOperationPage, operationIdParameter } from './operation/operation.schema';
import { withdrawalExamples } from './withdrawal/withdrawal.example';
import { ListOperationsDto } from './operation/operations.dto';

export const financialOperationsGroup: OperationGroup = {
  name: 'financialOperations',
  description: 'What became of money that was asked for: the only evidence of settlement',
};

export const listFinancialOperations = operation('financialOperations.list', {
  route: 'GET /v1/users/:userId/financial-operations',
  summary: 'Financial operations, newest first',
  query: ListOperationsDto,
  answer: FinancialOperationPage,
  examples: { answer: { data: [withdrawalExamples.operation], nextCursor: null, total: 1 } },
});

export const getFinancialOperation = operation('financialOperations.get', {
  route: 'GET /v1/users/:userId/financial-operations/:operationId',
  summary: 'One financial operation',
  description: 'The only evidence of settlement. Always current: it is read from the journal of the operation itself.',
  parameters: { operationId: operationIdParameter },
  answer: FinancialOperation,
  examples: { answer: withdrawalExamples.operation },
});
