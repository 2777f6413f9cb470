import { decimalOf, floorQuotient, multiply, parseDecimal, unreachable } from '@app/kernel';
import { byRichness, integerOf, type PricedAmount } from './amounts';
import type { ContractAction, PinnedToken, Quantity, SwapAction } from './contract';
import { contractLimits, isPinnable } from './contract-grammar';

/** The spendable amount of one token in a wallet. */
export interface SpendableToken extends PricedAmount {
  readonly tokenId: string;
}

export type NoAmount = 'no_price' | 'no_decimals' | 'nothing' | 'more_than_held';
/** `other_decimals`: the holding's decimals differ from those that the user reviewed. */
export type NoInput = NoAmount | 'not_held' | 'other_decimals';

export type InputAmount =
  { readonly ok: true; readonly amountRaw: string } | { readonly ok: false; readonly why: NoAmount };

export type ChosenInput<Holding> =
  | { readonly ok: true; readonly holding: Holding; readonly amountRaw: string }
  | { readonly ok: false; readonly why: NoInput };

/**
 * The amount that a quantity takes of a holding, in the smallest unit: positive, and never more than the holding. A
 * fraction and a USD value are rounded down; an explicit amount never is. For `exact_output_tokens` it is the most that
 * may be spent: the whole holding.
 */
export function inputAmount(quantity: Quantity, holding: SpendableToken): InputAmount {
  const held = integerOf(holding.amountRaw);
  switch (quantity.kind) {
    case 'exact_input_tokens':
      return within(held, BigInt(quantity.amountRaw));
    case 'exact_input_value_usd':
      return worth(quantity.value, held, holding);
    case 'all_of_input':
    case 'exact_output_tokens':
      return within(held, held);
    case 'fraction_of_input':
      return within(held, (held * BigInt(quantity.bps)) / BigInt(contractLimits.bpsMax));
    default:
      return unreachable(quantity);
  }
}

/**
 * The holding that the executor takes for an action, and the amount. Pinned: that one, if its decimals are those
 * reviewed. `any`: the richest that covers the quantity (see `byRichness`), among those that a contract can express and
 * that are not the pinned output; if none does, the reason of the richest.
 */
export function chooseInput<Holding extends SpendableToken>(
  action: ContractAction,
  holdings: readonly Holding[],
): ChosenInput<Holding> {
  const { input, quantity } = action;
  if ('pinned' in input) {
    const holding = holdings.find(({ tokenId }) => tokenId === input.pinned.tokenId);
    if (holding === undefined) return { ok: false, why: 'not_held' };
    if (holding.decimals !== input.pinned.decimals) return { ok: false, why: 'other_decimals' };
    const amount = inputAmount(quantity, holding);
    return amount.ok ? { ...amount, holding } : amount;
  }
  const output = action.kind === 'swap' && 'pinned' in action.output ? action.output.pinned.tokenId : null;
  let firstRefusal: NoInput | null = null;
  for (const holding of richestExpressible(holdings, output)) {
    const amount = inputAmount(quantity, holding);
    if (amount.ok) return { ...amount, holding };
    firstRefusal ??= amount.why;
  }
  return { ok: false, why: firstRefusal ?? 'not_held' };
}

/**
 * The token that a swap delivers: the pinned one (the caller checks whether the provider knows it with these decimals),
 * or for `any` the richest holding that is not the input and that a contract can express. Null when there is none.
 */
export function chooseOutput(
  { output }: SwapAction,
  inputTokenId: string,
  holdings: readonly SpendableToken[],
): PinnedToken | null {
  if ('pinned' in output) return output.pinned;
  const [richest] = richestExpressible(holdings, inputTokenId);
  if (richest?.decimals == null) return null;
  return { tokenId: richest.tokenId, decimals: richest.decimals };
}

function richestExpressible<Holding extends SpendableToken>(
  holdings: readonly Holding[],
  exceptTokenId: string | null,
): readonly Holding[] {
  return holdings.filter((holding) => holding.tokenId !== exceptTokenId && isPinnable(holding)).sort(byRichness);
}

function worth(valueUsd: string, held: bigint, { decimals, priceUsdDecimal }: SpendableToken): InputAmount {
  const value = parseDecimal(valueUsd);
  if (value === null) throw new RangeError('not a value in US dollars');
  const price = priceUsdDecimal === null ? null : parseDecimal(priceUsdDecimal);
  if (price === null || price.unscaled === 0n) return { ok: false, why: 'no_price' };
  if (decimals === null) return { ok: false, why: 'no_decimals' };
  const unitsPerToken = decimalOf(10n ** BigInt(decimals), 0);
  return within(held, floorQuotient(multiply(value, unitsPerToken), price));
}

function within(held: bigint, amount: bigint): InputAmount {
  if (amount === 0n) return { ok: false, why: 'nothing' };
  if (amount > held) return { ok: false, why: 'more_than_held' };
  return { ok: true, amountRaw: amount.toString() };
}
