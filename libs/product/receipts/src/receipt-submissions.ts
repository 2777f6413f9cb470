import type { ApprovalHolderEvent } from '@app/approvals';
import type { ContractBounds } from '@app/consent';
import type { Recorded, StoredEvent } from '@app/event-store';
import { compareDecimals, isJsonObject, parseDecimal } from '@app/kernel';
import { matchesContract, isWithinAgreedWorth, mayFollow, movedUsdWith, operationKind } from '@app/wallets';
import type { OperationEvent, OperationState } from '@app/wallets';
import type { ReceiptFinding, ReceiptProblem } from './receipt-report';
import { problemsAt, type Placed, type Rule } from './receipt-rules';
import type { Receipt } from './receipt.schema';

/** The version of `submission.journaled` from which on events record a worth. */
const worthSinceVersion = 3;

/**
 * Returns why the operation's events are not what was agreed. Each is checked against the state of the operation before it. Each submission,
 * as the operation journaled it, is also checked against its action's own words; its worth, with what was moved before it, against one use
 * of the contract that covers the call (docs/decisions/approvals.md, "Contract"). Events of earlier versions
 * record none, which is no problem: `unprovenWorths` names what stays open.
 * @param operation all of the operation's events, in their order
 * @param bounds of the covering contract; null if the user decided
 */
export function submissionProblems(
  operation: readonly Placed<OperationEvent>[],
  bounds: ContractBounds | null,
): ReceiptProblem[] {
  let state: OperationState | null = operationKind.decider.initialState;
  return operation.flatMap((recorded) => {
    const { event } = recorded;
    const before = state;
    state = operationKind.decider.evolve(state, event);
    const amounts: Rule = [amountsOf(event).every(isAmountOrNull), 'has an amount that is none'];
    if (event.type !== 'submission.journaled' || before === null)
      return problemsAt(recorded, [amounts, [mayFollow(before, event), 'cannot follow what was before it']]);
    const action = before.terms.contract.actions[event.index];
    return problemsAt(recorded, [
      amounts,
      [mayFollow(before, event), 'came while another could be executed, or out of turn'],
      [action !== undefined && matchesContract(action, event.submission), 'is not what was approved'],
      ...(isWithoutWorth(recorded.metadata) ? [] : worthRules(before, event, bounds)),
    ]);
  });
}

/** Returns what an event says was sent, or came back. */
function amountsOf(event: OperationEvent): readonly unknown[] {
  if (event.type === 'action.settled' || event.type === 'action.refunded') return [event.output, event.returned];
  if (event.type !== 'submission.journaled') return [];
  const { input, output, leastOutput } = event.submission;
  return [input, output, leastOutput];
}

/** Whether a value is null, or a token and a whole number of its smallest units. */
function isAmountOrNull(value: unknown): boolean {
  if (value === null) return true;
  if (!isJsonObject(value) || typeof value['tokenId'] !== 'string') return false;
  return typeof value['amountRaw'] === 'string' && parseDecimal(value['amountRaw'])?.scale === 0;
}

/**
 * Returns what submissions of earlier versions leave unproven: that their worth was within one use of the contract that covers the call, and
 * within what was agreed for an action that is agreed to by its worth.
 */
export function unprovenWorths(
  events: readonly Recorded<ApprovalHolderEvent>[],
  { approval, authority }: Pick<Receipt, 'approval' | 'authority'>,
): ReceiptFinding[] {
  const indexes = events.flatMap(({ event, metadata }) =>
    event.type === 'submission.journaled' && isWithoutWorth(metadata) ? [event.index] : [],
  );
  const byWorth = indexes.some((index) => approval.contract?.actions[index]?.quantity.kind === 'exact_input_value_usd');
  return [...(indexes.length > 0 && authority !== null ? [useUnproven] : []), ...(byWorth ? [worthUnproven] : [])];
}

const recordsNone = 'an event of an earlier version records no worth.';
const useUnproven: ReceiptFinding = {
  aspect: 'authority',
  text: `That what was sent was worth no more than one use allows: ${recordsNone}`,
};
const worthUnproven: ReceiptFinding = {
  aspect: 'history',
  text: `That what was sent was worth no more than was approved: ${recordsNone}`,
};

function isWithoutWorth({ v = 1 }: StoredEvent['metadata']): boolean {
  return v < worthSinceVersion;
}

/** Without a worth, nothing may be sent that was agreed to by its worth, or that a contract covers. */
function worthRules(
  before: OperationState,
  { index, worthUsd }: Extract<OperationEvent, { readonly type: 'submission.journaled' }>,
  bounds: ContractBounds | null,
): Rule[] {
  const action = before.terms.contract.actions[index];
  const moved = movedUsdWith(before, worthUsd);
  return [
    [action === undefined || isWithinAgreedWorth(action, worthUsd), 'is worth more than was approved'],
    [bounds === null || (moved !== null && isWithinUse(moved, bounds)), 'is beyond the bounds of the contract'],
  ];
}

/** Whether one use of that worth in US dollars is within the bounds; false for a text that is no decimal. */
export function isWithinUse(usd: string, { perUseUsd, totalUsd }: ContractBounds): boolean {
  const [moved, perUse, total] = [parseDecimal(usd), parseDecimal(perUseUsd), parseDecimal(totalUsd)];
  if (moved === null || perUse === null || total === null) return false;
  return compareDecimals(moved, perUse) <= 0 && compareDecimals(moved, total) <= 0;
}
