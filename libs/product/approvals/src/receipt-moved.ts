import type { ContractBounds } from '@app/consent';
import { compareDecimals, parseDecimal } from '@app/kernel';
import { isWithinWords, movedUsdWith, operationKind, type OperationEvent, type OperationState } from '@app/wallets';
import type { ReceiptProblem } from './receipt-report';
import { problemsAt, type Placed, type Rule } from './receipt-rules';

/**
 * Why what was sent is beyond what was agreed: the worth of each submission, as the operation journaled it, is held against the action's
 * own words and, with what was moved before it, against one use of the contract that covers the call (docs/decisions/approvals.md,
 * "Contract"). A worth that was not kept, as in events of earlier versions, shows nothing.
 * @param operation the operation's events, all of them, in their order
 * @param bounds of the covering contract; null where the user decided
 */
export function movedProblems(
  operation: readonly Placed<OperationEvent>[],
  bounds: ContractBounds | null,
): ReceiptProblem[] {
  let state: OperationState | null = operationKind.decider.initialState;
  return operation.flatMap((recorded) => {
    const { event } = recorded;
    const before = state;
    state = operationKind.decider.evolve(state, event);
    if (event.type !== 'submission.journaled' || event.worthUsd === null || before === null) return [];
    const action = before.terms.contract.actions[event.index];
    // What was moved before may not be known, and then this submission alone is held against a use.
    const moved = movedUsdWith(before, event.worthUsd) ?? event.worthUsd;
    const rules: Rule[] = [
      [action !== undefined && isWithinWords(action, event.worthUsd), 'is worth more than was approved'],
      [bounds === null || isWithinUse(moved, bounds), 'is beyond the bounds of the contract'],
    ];
    return problemsAt(recorded, rules);
  });
}

/** Whether one use of that worth in US dollars is within the bounds. A text that is no decimal never is. */
export function isWithinUse(usd: string, { perUseUsd, totalUsd }: ContractBounds): boolean {
  const [moved, perUse, total] = [parseDecimal(usd), parseDecimal(perUseUsd), parseDecimal(totalUsd)];
  if (moved === null || perUse === null || total === null) return false;
  return compareDecimals(moved, perUse) <= 0 && compareDecimals(moved, total) <= 0;
}
