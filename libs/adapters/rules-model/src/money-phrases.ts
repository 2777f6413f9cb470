import { scaledAmount, type Quantity } from '@app/consent';
import { decimalText, parseDecimal, unreachable } from '@app/kernel';

/** An amount, as the user wrote it. */
export type AskedAmount =
  | { readonly kind: 'all' }
  | { readonly kind: 'percent'; readonly text: string }
  | { readonly kind: 'usd'; readonly text: string }
  | { readonly kind: 'tokens'; readonly text: string };

export interface MoneyClause {
  readonly kind: 'withdraw' | 'swap';
  readonly amount: AskedAmount;
  readonly symbol: string;
  /** The token that a swap delivers; null for a withdrawal. */
  readonly toSymbol: string | null;
}

/** Any symbol or token id: no spaces, and at most as long as a tool accepts. */
const symbol = String.raw`(\S{1,64})`;
const decimal = String.raw`(\d{1,60}(?:\.\d{1,60})?)`;
const amount = String.raw`(?:(all)(?: of)?(?: my)?|${decimal}%(?: of)?(?: my)?|\$${decimal}(?: worth)?(?: of)?|${decimal})`;
const withdrawal = new RegExp(String.raw`^withdraw ${amount} ${symbol}$`, 'i');
const swap = new RegExp(String.raw`^swap ${amount} ${symbol} (?:to|for|into) ${symbol}$`, 'i');
/** Maximum number of clauses, because each becomes a tool call of its own. */
const clausesMax = 8;

/**
 * The withdrawals and swaps that a sentence asks for: stages joined by "and then", each of clauses joined by "and",
 * which are requested in parallel. Null when any part of it is something else.
 */
export function moneyStagesIn(sentence: string): readonly (readonly MoneyClause[])[] | null {
  const stages = sentence.split(/ and then /i).map((stage) => stage.split(/ and /i));
  if (stages.flat().length > clausesMax) return null;
  const read = stages.map((parts) => parts.map(clauseIn));
  // Reason for the assertion: none is null, which the compiler does not see through two levels.
  return read.flat().includes(null) ? null : (read as MoneyClause[][]);
}

function clauseIn(part: string): MoneyClause | null {
  const [withdrawn, all, percent, usd, tokens, from] = withdrawal.exec(part) ?? [];
  if (withdrawn !== undefined && from !== undefined) {
    return { kind: 'withdraw', amount: amountOf(all, percent, usd, tokens), symbol: from, toSymbol: null };
  }
  const [swapped, allOf, percentOf, usdOf, tokensOf, input, output] = swap.exec(part) ?? [];
  if (swapped === undefined || input === undefined || output === undefined) return null;
  return { kind: 'swap', amount: amountOf(allOf, percentOf, usdOf, tokensOf), symbol: input, toSymbol: output };
}

function amountOf(all?: string, percent?: string, usd?: string, tokens?: string): AskedAmount {
  if (all !== undefined) return { kind: 'all' };
  if (percent !== undefined) return { kind: 'percent', text: percent };
  return usd === undefined ? { kind: 'tokens', text: tokens ?? '' } : { kind: 'usd', text: usd };
}

/** The quantity that a contract states for an amount, in its one spelling; null if there is none, so that nothing is rounded. */
export function quantityOf(
  asked: AskedAmount,
  decimals: number,
): Exclude<Quantity, { kind: 'exact_output_tokens' }> | null {
  switch (asked.kind) {
    case 'all':
      return { kind: 'all_of_input' };
    case 'percent': {
      const bps = positive(scaledAmount(asked.text, 2));
      return bps === null || BigInt(bps) > 10_000n ? null : { kind: 'fraction_of_input', bps };
    }
    case 'usd': {
      const value = parseDecimal(asked.text);
      return value === null || value.unscaled === 0n
        ? null
        : { kind: 'exact_input_value_usd', value: decimalText(value) };
    }
    case 'tokens': {
      const amountRaw = positive(scaledAmount(asked.text, decimals));
      return amountRaw === null ? null : { kind: 'exact_input_tokens', amountRaw };
    }
    default:
      return unreachable(asked);
  }
}

function positive(integer: string | null): string | null {
  return integer === '0' ? null : integer;
}
