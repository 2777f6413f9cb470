import { operation, type OperationGroup } from '@app/http';
import { type Reason } from '@app/kernel';
import { pendingExample } from './approval/approval.example';
import { Approval, ApprovalPage, Decided } from './approval/approval.schema';
import { ApproveDto, DenyDto, ListApprovalsDto } from './approval/approvals.dto';

export const approvalsGroup: OperationGroup = {
  name: 'approvals',
  description: 'What a tool call needs the user to decide, with the exact contract behind it',
};

/** Reasons for which a decision is not recorded; all but the first leave the approval pending. */
const undecided: readonly Reason[] = [
  'approval_not_pending',
  'run_active',
  'execution_capacity',
  'execution_unavailable',
  'stop_pending',
  'engine_unavailable',
];

/** The member of a path that names an approval. */
export const approvalId = { description: 'An approval of the user', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e03' };

export const listApprovals = operation('approvals.list', {
  route: 'GET /v1/users/:userId/approvals',
  summary: 'Approvals, newest first',
  query: ListApprovalsDto,
  answer: ApprovalPage,
  examples: { answer: { data: [pendingExample], nextCursor: null, total: 1 } },
});

export const getApproval = operation('approvals.get', {
  route: 'GET /v1/users/:userId/approvals/:approvalId',
  summary: 'One approval with its immutable review input',
  description: 'Show the user `summary`, `contract`, `input` and `fingerprint`, then send the decision.',
  parameters: { approvalId },
  answer: Approval,
  examples: { answer: pendingExample },
});

export const approve = operation('approvals.approve', {
  route: 'POST /v1/users/:userId/approvals/:approvalId/approve',
  summary: 'Approve exactly what was reviewed',
  description:
    'Of the approvals that one run waits for, the decision that leaves none pending resumes it and takes an execution slot: where it cannot, nothing is recorded. A direct withdrawal is approved by `wallets.confirmWithdrawal` alone. After an ambiguous answer read the approval.',
  parameters: { approvalId },
  body: ApproveDto,
  answer: Decided,
  reasons: undecided,
  examples: { body: { fingerprint: pendingExample.fingerprint }, answer: { decided: true } },
});

export const deny = operation('approvals.deny', {
  route: 'POST /v1/users/:userId/approvals/:approvalId/deny',
  summary: 'Deny what was asked',
  description:
    'The run goes on without the result of the call, and takes an execution slot like new work: where it cannot, nothing is recorded. A direct withdrawal is over with it.',
  parameters: { approvalId },
  body: DenyDto,
  answer: Decided,
  reasons: undecided,
  examples: { body: { reason: 'Not this month' }, answer: { decided: true } },
});
