import { approvalDeciders, approvalStatuses, summaryLengthMax, termNames } from '@app/consent';
import type { ApprovalEnd, ApprovalKind, Contract } from '@app/consent';
import type { JsonObject } from '@app/kernel';
import {
  byName,
  constant,
  countedPageOfShape,
  instant,
  json,
  list,
  withName,
  nullable,
  oneOf,
  orErased,
  shape,
  text,
  uuid,
  variants,
  type Schema,
  type Shaped,
} from '@app/schema';
import { AutomationContractShape, ContractShape, TokenAmountShape } from '@app/wallets';

export const denialReasonLengthMax = 1_024;

export const fingerprintShape = text({
  pattern: /^sha256:[0-9a-f]{64}$/,
  description:
    'SHA-256 of the RFC 8785 form of `{v: 1, approvalId, kind, userId, walletId, tool, input, contract, expiresAt}`: binds a decision to exactly what was reviewed',
});

// Members that all kinds share.
const id = uuid();
const fingerprint = fingerprintShape;
const status = oneOf(approvalStatuses, { description: '`pending` until somebody decides, or it is too late' });
const openedAt = instant();
const expiresAt = instant({ description: 'A decision at or after this instant is too late' });
const decidedAt = nullable(instant(), { description: 'Null unless `status` is `approved` or `denied`' });
const denialReason = orErased(
  nullable(text({ max: denialReasonLengthMax }), {
    description: 'The reason that the user gave, which the agent receives',
  }),
);
const summary = orErased(
  text({
    min: 1,
    max: summaryLengthMax,
    description:
      'Plain whole sentences, rendered from the contract and never by the model: first what moves, how much at most, how often and until when. A quoted text is shortened, a term never',
  }),
);
const termList = list(
  shape(
    'ApprovalTerm',
    { name: oneOf(termNames), text: text({ min: 1 }) },
    { description: 'One thing that is agreed to' },
  ),
  {
    max: termNames.length,
    description:
      'The same as a list for a page, in this order and at most one of each name; empty where nothing but the input itself is agreed to, and nobody put it into words',
  },
);
const terms = orErased(termList);
const notApplicable = constant(null);
const userDecider = withName('UserDecider', constant('user'));

function endedBy<const Reasons extends readonly ApprovalEnd[]>(name: string, reasons: Reasons, why: string) {
  return nullable(withName(name, oneOf(reasons)), { description: `Null unless \`status\` is \`expired\`; ${why}` });
}

const AgentToolApproval = shape(
  'AgentToolApproval',
  {
    id,
    kind: constant('agent_tool'),
    tool: text({ min: 1, description: 'The tool that the agent called, as the deployment names it' }),
    fingerprint,
    input: orErased(
      json({ description: "The exact input of the tool call; it never changes. The tool's own schema holds for it" }),
    ),
    contract: nullable(ContractShape, { description: 'Null for a tool that moves no money' }),
    status,
    conversationId: uuid(),
    runId: uuid({ description: 'The run that waits; the decision that leaves none pending resumes it' }),
    toolCallId: text({ min: 1 }),
    operationId: nullable(uuid(), { description: 'The financial operation, once the approval is used' }),
    automationId: nullable(uuid(), { description: 'The automation whose run it is' }),
    openedAt,
    expiresAt,
    decidedAt,
    decidedBy: nullable(withName('ApprovalDecider', oneOf(approvalDeciders)), {
      description: '`automation_contract`: an approved contract of the automation covered the call',
    }),
    denialReason,
    endedReason: endedBy('AgentToolApprovalEnd', ['timeout', 'run_ended'], '`run_ended`: the run was over before'),
    summary,
    terms,
  },
  { description: 'A tool call that a run waits for' },
);

const WithdrawalApproval = shape(
  'WithdrawalApproval',
  {
    id,
    kind: constant('withdrawal'),
    tool: constant('wallet_withdrawal'),
    fingerprint,
    input: orErased(TokenAmountShape),
    contract: ContractShape,
    status,
    conversationId: notApplicable,
    runId: notApplicable,
    toolCallId: notApplicable,
    operationId: uuid({ description: 'The financial operation; `wallets.confirmWithdrawal` takes it' }),
    automationId: notApplicable,
    openedAt,
    expiresAt,
    decidedAt,
    decidedBy: nullable(userDecider),
    denialReason,
    endedReason: endedBy('WithdrawalApprovalEnd', ['timeout'], 'nobody confirmed or denied it in time'),
    summary,
    terms,
  },
  { description: 'A direct withdrawal: `wallets.confirmWithdrawal` approves it; it can be denied here' },
);

const AutomationContractApproval = shape(
  'AutomationContractApproval',
  {
    id,
    kind: constant('automation_contract'),
    tool: constant('automation_contract'),
    fingerprint,
    // Stored as the JSON that was reviewed.
    input: orErased(byName<JsonObject>('AutomationDefinition')),
    contract: AutomationContractShape,
    status,
    conversationId: notApplicable,
    runId: notApplicable,
    toolCallId: notApplicable,
    operationId: notApplicable,
    automationId: uuid(),
    openedAt,
    expiresAt,
    decidedAt,
    decidedBy: nullable(userDecider),
    denialReason,
    endedReason: nullable(withName('AutomationContractApprovalEnd', oneOf(['timeout', 'superseded'])), {
      description:
        'Null while nothing has ended it; `superseded`: the automation was changed, or archived, which also ends what was approved',
    }),
    summary,
    terms,
  },
  {
    description:
      "The contract in an automation's definition: once approved, its runs need not ask again within the bounds",
  },
);

/** The values that the variants may have, which are no more than the domain knows. */
interface AnyApproval {
  readonly kind: ApprovalKind;
  readonly contract: Contract | null;
  readonly endedReason: ApprovalEnd | null;
}

const anyApproval = withName(
  'Approval',
  variants([AgentToolApproval, WithdrawalApproval, AutomationContractApproval], {
    by: 'kind',
    description: 'What the user is asked to decide on; every kind has the same members',
  }),
) satisfies Schema<AnyApproval>;

type OneOfItsKind = Shaped<typeof anyApproval>;
/** An approval of any kind: the members that all kinds have, each with every value that a kind may have there. */
export type ApprovalView = Pick<OneOfItsKind, keyof OneOfItsKind>;

/** The members with a person's words, which are sealed in the store. */
export const personalMembers = ['input', 'summary', 'terms', 'denialReason'] as const;
export type PersonalMember = (typeof personalMembers)[number];

/** Approval, of any kind (docs/decisions/approvals.md). For the compiler, which cannot determine the kind of a row, it is the view. */
export const Approval: Schema<ApprovalView> = anyApproval;

export const ApprovalPage = countedPageOfShape('Approval', Approval);

/** 200 of `approvals.approve` and `approvals.deny`. */
export const Decided = shape('Decided', { decided: constant(true, { description: 'The decision is durable' }) });
export type Decided = Shaped<typeof Decided>;
