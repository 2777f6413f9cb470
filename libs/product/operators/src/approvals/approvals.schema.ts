import { pendingExample, type ApprovalView } from '@app/approvals';
import { approvalStatuses } from '@app/consent';
import type { WithOpenWords } from '@app/kernel';
import { receiptExample } from '@app/receipts';
import { instant, json, list, nullable, oneOf, optional, orErased, pageOfShape, shape } from '@app/schema';
import { text, uuid, type Shaped } from '@app/schema';
import { Member, PageQuery } from '@app/http';

export const approvalFilters = [...approvalStatuses, 'all'] as const;
export type OperatedApprovalFilter = (typeof approvalFilters)[number];

const OperatedTerm = shape('OperatedTerm', { name: text(), text: text() });

/** Operators' view of an approval of any kind: who was asked, for what and in which words, and the outcome. */
export const OperatedApproval = shape('OperatedApproval', {
  approvalId: uuid(),
  userId: uuid(),
  kind: text({ description: 'As `approvals.get` says' }),
  tool: text(),
  status: oneOf(approvalStatuses),
  openedAt: instant(),
  expiresAt: instant(),
  decidedAt: nullable(instant()),
  decidedBy: nullable(text(), {
    description: '`user`, or `automation_contract`: an approved contract covered the call',
  }),
  denialReason: orErased(nullable(text(), { description: "In the user's words" })),
  endedReason: nullable(text(), { description: 'Why it expired' }),
  conversationId: nullable(uuid()),
  runId: nullable(uuid(), { description: "The run that asked, by its id in its user's eyes" }),
  operationId: nullable(uuid(), { description: 'What it was used for' }),
  automationId: nullable(uuid()),
  stream: text({ description: 'The stream that holds its events: `streams.events` shows them' }),
  fingerprint: text(),
  summary: orErased(text({ description: 'The sentences that the user read' })),
  terms: orErased(list(OperatedTerm, { description: 'The terms that the user read' })),
  contract: json({ description: 'What was agreed to, as data; null for a tool that moves no money' }),
});
export type OperatedApproval = Shaped<typeof OperatedApproval>;

export const OperatedApprovalPage = pageOfShape('OperatedApproval', OperatedApproval);
export type OperatedApprovalPage = Shaped<typeof OperatedApprovalPage>;

/** The members of a row that are shown. @param view as the read model has it */
function exampleOf({
  id,
  input: _,
  toolCallId: __,
  ...view
}: WithOpenWords<ApprovalView>): WithOpenWords<OperatedApproval> {
  return {
    approvalId: id,
    userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
    ...view,
    terms: view.terms.map((term) => ({ ...term })),
    contract: view.contract,
    stream: `conversation-${view.conversationId}`,
  };
}

const approval = exampleOf(pendingExample);

export const operatedApprovalExamples = {
  approval,
  page: { data: [approval], nextCursor: null } satisfies OperatedApprovalPage,
  receipt: receiptExample,
};

export class ListOperatedApprovalsDto extends PageQuery {
  @Member(uuid({ description: 'Of this user', examples: ['5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11'] }))
  readonly user: string;

  @Member(optional(oneOf(approvalFilters, { description: '`all` when absent' })))
  readonly status?: OperatedApprovalFilter;
}
