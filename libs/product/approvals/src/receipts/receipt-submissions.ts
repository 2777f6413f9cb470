import type { ContractBounds } from '@app/consent';
import { compareDecimals, parseDecimal } from '@app/kernel';
import {
  matchesContract,
  isWithinAgreedWorth,
  mayFollow,
  movedUsdWith,
  operationKind,
  type OperationEvent,
  type OperationState,
} from '@app/wallets';
import type { ReceiptProblem } from './receipt-report';
import { problemsAt, type Placed, type Rule } from './receipt-rules';

/** The version of `submission.journaled` from which on events record a worth. */
const worthSinceVersion = 3;

/**
 * Returns why the operation's events are not what was agreed. Each is checked against the state of the operation before it. Each submission,
 * as the operation journaled it, is also checked against its action's own words; its worth, with what was moved before it, against one use
 * of the contract that covers the call (docs/decisions/approvals.md, "Contract"). A missing worth, as in events of earlier versions, shows
 * nothing.
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
    if (event.type !== 'submission.journaled' || before === null)
      return problemsAt(recorded, [[mayFollow(before, event), 'cannot follow what was before it']]);
    const action = before.terms.contract.actions[event.index];
    return problemsAt(recorded, [
      [mayFollow(before, event), 'came while another could be executed, or out of turn'],
      [action !== undefined && matchesContract(action, event.submission), 'is not what was approved'],
      ...((recorded.metadata.v ?? 1) < worthSinceVersion ? [] : worthRules(before, event, bounds)),
    ]);
  });
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
