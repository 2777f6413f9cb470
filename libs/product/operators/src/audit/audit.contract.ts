import { operation, PageQuery, type OperationGroup } from '@app/http';
import { auditExamples, LogCheckpointPage, UnresolvedOperationPage } from './audit.schema';

export const checkpointsGroup: OperationGroup = {
  name: 'checkpoints',
  description: 'What the log of all events has committed itself to',
};
export const unresolvedGroup: OperationGroup = {
  name: 'unresolved',
  description: 'Money of which nobody knows yet where it is',
};

export const listCheckpoints = operation('checkpoints.list', {
  route: 'GET /operator/v1/checkpoints',
  scope: 'audit',
  summary: 'List the checkpoints of the log, newest first',
  description: 'With who witnessed each. The look is logged.',
  query: PageQuery,
  answer: LogCheckpointPage,
  examples: { answer: auditExamples.checkpoints },
});

export const listUnresolved = operation('unresolved.list', {
  route: 'GET /operator/v1/unresolved',
  scope: 'audit',
  summary: 'List the money operations that are in flight or unresolved, newest first',
  description: 'Of all users. The look is logged.',
  query: PageQuery,
  answer: UnresolvedOperationPage,
  examples: { answer: auditExamples.unresolved },
});
