import { automationKind, type AutomationEvent } from '@app/automations';
import { canonicalText } from '@app/canonical';
import type { Contract } from '@app/consent';
import { streamName } from '@app/event-store';
import { isOpening, type Opening } from './receipt';
import { decisionProblems, openingProblems } from './receipt-decision';
import { isWithinUse } from './receipt-submissions';
import type { ReceiptProblem } from './receipt-report';
import { isBefore, isClosing, problemOf, problemsAt } from './receipt-rules';
import type { Closing, Placed, PlacedEvent } from './receipt-rules';

type Use = Extract<AutomationEvent, { readonly type: 'contract.used' }>;

/**
 * Returns why an automation's contract cannot have covered the call (docs/decisions/automations.md, "Authority"). It can if its user
 * approved it before the use, the call does exactly what the contract says, and the use is within its bounds, as far as one use can show
 * that.
 * @param authority the events of the automation's stream
 */
export function authorityProblems(
  call: Placed<Opening>,
  closings: readonly Placed<Closing>[],
  authority: readonly PlacedEvent[],
): ReceiptProblem[] {
  const unasked = call.event.automationId === null ? closings.filter(isByContract) : [];
  const problems = unasked.flatMap((decision) =>
    problemsAt(decision, [[false, 'no automation was there to decide it']]),
  );
  if (authority.length === 0) return problems;
  const [asked, ...others] = authority.filter(isOpening);
  const [use, ...more] = authority.filter(isUse);
  const rest = authority.length - 2 - authority.filter(isClosing).length;
  if (asked === undefined || use === undefined || others.length + more.length + rest > 0)
    return [...problems, problemOf('/events', 'hold not exactly one contract of an automation, and one use of it')];
  const decisions = authority.filter(isClosing);
  return [
    ...problems,
    ...closings.flatMap((closing) => problemsAt(closing, [[isByContract(closing), 'was decided by no contract']])),
    ...openingProblems(asked),
    ...decisionProblems(asked, decisions),
    ...contractProblems(call.event, asked),
    ...useProblems(call.event, asked, decisions, use),
  ];
}

function contractProblems(call: Opening, asked: Placed<Opening>): ReceiptProblem[] {
  const { event, stream } = asked;
  const { automationId, contract } = event;
  const own = automationId !== null && stream === streamName(automationKind, automationId);
  return problemsAt(asked, [
    [event.kind === 'automation_contract' && own, "is no automation's contract"],
    [automationId === call.automationId, 'is of another automation'],
    [event.userId === call.userId && event.walletId === call.walletId, 'is of another wallet'],
    [contract !== null && call.contract !== null && sameActions(contract, call.contract), 'allows other actions'],
  ]);
}

function sameActions(one: Contract, other: Contract): boolean {
  return canonicalText(one.actions) === canonicalText(other.actions);
}

function useProblems(
  call: Opening,
  asked: Placed<Opening>,
  decisions: readonly Placed<Closing>[],
  use: Placed<Use>,
): ReceiptProblem[] {
  const { event, stream, revision } = use;
  const isApproved = decisions.some(
    (decision) =>
      decision.event.type === 'approval.decided' &&
      decision.event.status === 'approved' &&
      decision.event.decidedBy === 'user' &&
      decision.revision < revision,
  );
  const ofCall = event.approvalId === call.approvalId && event.toolCallId === call.toolCallId;
  const bounds = asked.event.contract?.bounds;
  return problemsAt(use, [
    [stream === asked.stream, 'is in another stream'],
    [isApproved, 'the contract was not approved before'],
    [ofCall, 'is of another call'],
    [bounds !== undefined && isBefore(event.at, bounds.notAfter), 'came after the end of the contract'],
    [
      bounds !== undefined && bounds.maxUses > 0 && isWithinUse(event.usd, bounds),
      'is beyond the bounds of the contract',
    ],
  ]);
}

function isByContract({ event }: Placed<Closing>): boolean {
  return event.type === 'approval.decided' && event.decidedBy !== 'user';
}

function isUse(recorded: PlacedEvent): recorded is Placed<Use> {
  return recorded.event.type === 'contract.used';
}
