import { integerOf, valueUsdOf, type ContractAction, type PricedAmount } from '@app/consent';
import {
  add,
  compareDecimals,
  decimalOf,
  decimalText,
  floorQuotient,
  multiply,
  parseDecimal,
  roundUp,
  unreachable,
  words,
  type Decimal,
} from '@app/kernel';
import type { Delivered, OperationFailure, TokenAmount } from '../../provider/submission';
import type { ActionState, OperationState } from '../operation.state';

/** As many digits as a contract's bound can have (specification, "Contract"). */
const usdFractionDigits = 18;

const nothing: Decimal = decimalOf(0n, 0);

/** The failure of an action that would move more than was agreed to, or whose worth is unknown. */
export const beyondBounds: OperationFailure = {
  reason: 'bounds_exceeded',
  text: words`It would move more than was approved.`,
};

/**
 * Worth of an amount in US dollars, rounded up to the precision of bounds, as decimal text. Null if the price is
 * missing or 0, because any amount would then be within any bound.
 */
export function worthUsdOf(amount: PricedAmount): string | null {
  const price = valueUsdOf({ ...amount, amountRaw: '1' });
  const worth = valueUsdOf(amount);
  return worth === null || price === null || price.unscaled === 0n
    ? null
    : decimalText(roundUp(worth, usdFractionDigits));
}

/** Whether an action keeps to its terms: one agreed to by value moves no more, and nothing without a price. */
export function isWithinAgreedWorth({ quantity }: ContractAction, worthUsd: string | null): boolean {
  if (quantity.kind !== 'exact_input_value_usd') return true;
  const [worth, most] = [worthUsd === null ? null : parseDecimal(worthUsd), parseDecimal(quantity.value)];
  return worth !== null && most !== null && compareDecimals(worth, most) <= 0;
}

/**
 * Returns what the operation has moved so far plus one more action of that worth, in US dollars as decimal text, at the prices used
 * when the amounts were chosen. Null if a worth is unknown.
 */
export function movedUsdWith({ actions }: OperationState, worthUsd: string | null): string | null {
  const more = worthUsd === null ? null : parseDecimal(worthUsd);
  const sum = actions.map(movedUsdOf).reduce(sumOf, more);
  return sum === null ? null : decimalText(sum);
}

/** Returns what the operation has moved so far; see `movedUsdWith`. */
export function movedUsd(operation: OperationState): string | null {
  return movedUsdWith(operation, '0');
}

function sumOf(one: Decimal | null, other: Decimal | null): Decimal | null {
  return one === null || other === null ? null : add(one, other);
}

/** Returned input did not move. A failed action was never executed; one that still may be counts once that is known. */
function movedUsdOf({ status, submission, worthUsd, delivered }: ActionState): Decimal | null {
  switch (status) {
    case 'pending':
    case 'submitted':
    case 'failed':
      return nothing;
    case 'settled':
    case 'refunded': {
      const worth = worthUsd === null ? null : parseDecimal(worthUsd);
      if (submission === null || worth === null || delivered === null) return null;
      return keptOf(worth, status, submission.input, delivered);
    }
    default:
      return unreachable(status);
  }
}

function keptOf(
  worth: Decimal,
  status: 'settled' | 'refunded',
  input: TokenAmount,
  { output, returned }: Delivered,
): Decimal {
  // A refund for which the provider names no amounts is a full refund.
  if (status === 'refunded' && returned === null && output === null) return nothing;
  const sent = integerOf(input.amountRaw);
  const back = returned?.tokenId === input.tokenId ? integerOf(returned.amountRaw) : 0n;
  return partOf(worth, sent > back ? sent - back : 0n, sent);
}

/** The worth of `units` out of `all`, rounded up. */
function partOf(worth: Decimal, units: bigint, all: bigint): Decimal {
  if (units === all) return worth;
  const asked = multiply(worth, decimalOf(units * 10n ** BigInt(usdFractionDigits), 0));
  const divisor = decimalOf(all, 0);
  const least = floorQuotient(asked, divisor);
  const isExact = compareDecimals(multiply(decimalOf(least, 0), divisor), asked) === 0;
  return decimalOf(isExact ? least : least + 1n, usdFractionDigits);
}
