import { operation, type OperationGroup } from '@app/http';
import { json } from '@app/schema';
import {
  ListOperatedApprovalsDto,
  OperatedApproval,
  operatedApprovalExamples,
  OperatedApprovalPage,
} from './approvals.schema';

export const operatorsApprovalsGroup: OperationGroup = {
  name: 'approvals',
  description: 'What users were asked for, what they read, and what became of it',
};

const approvalId = {
  description: 'An approval, whosever it is',
  example: operatedApprovalExamples.approval.approvalId,
};

export const listOperatedApprovals = operation('approvals.list', {
  route: 'GET /operator/v1/approvals',
  scope: 'audit',
  summary: 'List the approvals of a user, newest first',
  description: 'The look is logged.',
  query: ListOperatedApprovalsDto,
  answer: OperatedApprovalPage,
  examples: { answer: operatedApprovalExamples.page },
});

export const showApproval = operation('approvals.show', {
  route: 'GET /operator/v1/approvals/:approvalId',
  scope: 'audit',
  summary: 'An approval by its id',
  description: 'Who was asked, what they read, and what became of it. The look is logged.',
  parameters: { approvalId },
  answer: OperatedApproval,
  examples: { answer: operatedApprovalExamples.approval },
});

export const readOperatedReceipt = operation('approvals.receipt', {
  route: 'GET /operator/v1/approvals/:approvalId/receipt',
  scope: 'audit',
  waits: true,
  summary: 'The receipt of an approval by its id',
  description:
    'The same document that the partner API gives its user: `npm run verify-receipt -- receipt.json --key <key>` proves it offline. It waits at most 2 s for a checkpoint over its events. The look is logged.',
  parameters: { approvalId },
  answer: json({ description: '`Receipt`, as `approvals.receipt` of the partner API answers it' }),
  examples: { answer: operatedApprovalExamples.receipt },
});
