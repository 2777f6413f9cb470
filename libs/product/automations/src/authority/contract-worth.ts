import { chooseInput, chooseOutput, type ContractAction } from '@app/consent';
import { add, decimalOf, decimalText, floorQuotient, multiply, parseDecimal, roundUp, type Decimal } from '@app/kernel';

/** A token with its present price, and how much of it a wallet can spend. */
export interface PricedToken {
  readonly tokenId: string;
  readonly decimals: number | null;
  /** US dollars for one whole token; null when the provider has no price. */
  readonly priceUsdDecimal: string | null;
  readonly amountRaw: string;
}

/** As many as a contract's bound can have (specification, "Contract"). */
const usdFractionDigits = 18;

/**
 * The most that a contract's actions spend together, in US dollars at present prices, rounded up: a decimal text. Null
 * where that is unknown: a price is missing, or the wallet does not hold a token that the amount depends on
 * (docs/decisions/automations.md).
 *
 * An amount that the contract leaves open is the executor's choice from the holdings. Each action counts separately,
 * and a later one may find all earlier holdings and everything that earlier actions deliver; for `exact_output_tokens`
 * all holdings count.
 *
 * @param tokens the wallet's holdings, and tokens that the contract pins in addition, with amount 0
 */
export function contractWorthUsd(actions: readonly ContractAction[], tokens: readonly PricedToken[]): string | null {
  let total: Decimal = decimalOf(0n, 0);
  let known = tokens;
  for (const [index, action] of actions.entries()) {
    const spent = spentBy(action, known);
    if (spent === null) return null;
    total = add(total, spent.usd);
    if (index === actions.length - 1) break;
    const after = withDelivered(action, spent, known);
    if (after === null) return null;
    known = after;
  }
  return decimalText(roundUp(total, usdFractionDigits));
}

interface Spent {
  readonly tokenId: string;
  readonly usd: Decimal;
}

function spentBy(action: ContractAction, tokens: readonly PricedToken[]): Spent | null {
  const { input, quantity } = action;
  const pinned = 'pinned' in input ? input.pinned : null;
  const token = tokens.find(({ tokenId, decimals }) => tokenId === pinned?.tokenId && decimals === pinned.decimals);
  // Explicit amounts do not depend on the holdings: if these are too small, the operation fails.
  if (token !== undefined && quantity.kind === 'exact_input_tokens') return worthOf(token, quantity.amountRaw);
  if (token !== undefined && quantity.kind === 'exact_input_value_usd') return valueOf(token, quantity.value);
  const chosen = chooseInput(action, heldOf(tokens));
  if (!chosen.ok) return null;
  return quantity.kind === 'exact_input_value_usd'
    ? valueOf(chosen.holding, quantity.value)
    : worthOf(chosen.holding, chosen.amountRaw);
}

/** The exact amount in US dollars; null without a price. */
function worthOf({ tokenId, decimals, priceUsdDecimal }: PricedToken, amountRaw: string): Spent | null {
  const price = priceUsdDecimal === null ? null : parseDecimal(priceUsdDecimal);
  // A price of 0 counts as missing, because any amount would be within any bound.
  if (price === null || price.unscaled === 0n || decimals === null) return null;
  return { tokenId, usd: multiply(decimalOf(BigInt(amountRaw), decimals), price) };
}

/** A value in US dollars is its own worth, provided that the token has a price. */
function valueOf(token: PricedToken, value: string): Spent | null {
  const usd = parseDecimal(value);
  return usd === null || worthOf(token, '0') === null ? null : { tokenId: token.tokenId, usd };
}

/** The tokens including the most that an action delivers at present prices; null where that is unknown. */
function withDelivered(
  action: ContractAction,
  { tokenId, usd }: Spent,
  tokens: readonly PricedToken[],
): readonly PricedToken[] | null {
  if (action.kind === 'withdraw_to_owner') return tokens;
  const output = chooseOutput(action, tokenId, heldOf(tokens));
  const token = tokens.find((one) => one.tokenId === output?.tokenId && one.decimals === output.decimals);
  const price = token?.priceUsdDecimal == null ? null : parseDecimal(token.priceUsdDecimal);
  if (token?.decimals == null || price === null || price.unscaled === 0n) return null;
  const units = floorQuotient(multiply(usd, decimalOf(10n ** BigInt(token.decimals), 0)), price) + 1n;
  const delivered = action.quantity.kind === 'exact_output_tokens' ? BigInt(action.quantity.amountRaw) : units;
  const amountRaw = (BigInt(token.amountRaw) + delivered).toString();
  return tokens.map((one) => (one === token ? { ...one, amountRaw } : one));
}

function heldOf(tokens: readonly PricedToken[]): readonly PricedToken[] {
  return tokens.filter(({ amountRaw }) => amountRaw !== '0');
}
