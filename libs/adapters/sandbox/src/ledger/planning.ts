import type { OperationFailure, Order, Token, TokenAmount } from '@app/wallets';
import { failures } from './failures';
import { toQuotedToken, tokenOf } from '../prices/market';
import type { OrderTarget } from './order-outcome';
import { outputFor, stillHolds, inputFor, type QuotedToken } from '../prices/quotes';

/** The input of an order, and its target. */
export interface Terms {
  readonly input: TokenAmount;
  readonly target: OrderTarget;
}

type Spendable = ReadonlyMap<string, bigint>;
type Refused = { readonly failure: OperationFailure };
type SwapOrder = Exclude<Order['order'], { readonly kind: 'withdraw' }>;

/** The order's amounts at the market's prices, or why the provider refuses it. */
export function planOrder(order: Order['order'], tokens: readonly Token[], spendable: Spendable): Terms | Refused {
  const terms = order.kind === 'withdraw' ? withdrawal(order, tokens) : swap(order, tokens);
  if ('failure' in terms) return terms;
  const amount = BigInt(terms.input.amountRaw);
  if (amount === 0n) return { failure: failures.too_little };
  return amount <= (spendable.get(terms.input.tokenId) ?? 0n) ? terms : { failure: failures.not_enough };
}

/** Whether the market still delivers what an order was quoted. */
export function quoteStands({ input, target }: Terms, tokens: readonly Token[]): boolean {
  if (target.kind === 'withdraw') return true;
  const sides = bothSides(input.tokenId, target.output.tokenId, tokens);
  return sides !== null && stillHolds(BigInt(target.output.amountRaw), outputFor(BigInt(input.amountRaw), ...sides));
}

function withdrawal(order: Extract<Order['order'], { kind: 'withdraw' }>, tokens: readonly Token[]): Terms | Refused {
  if (tokenOf(tokens, order.input.tokenId) === null) return { failure: failures.unknown_token };
  return { input: order.input, target: { kind: 'withdraw', mainAccountId: order.mainAccountId } };
}

function swap(order: SwapOrder, tokens: readonly Token[]): Terms | Refused {
  const [inputId, outputId] =
    order.kind === 'swap_exact_input'
      ? [order.input.tokenId, order.outputTokenId]
      : [order.inputTokenId, order.output.tokenId];
  if (tokenOf(tokens, inputId) === null || tokenOf(tokens, outputId) === null)
    return { failure: failures.unknown_token };
  const sides = bothSides(inputId, outputId, tokens);
  if (sides === null) return { failure: failures.no_quote };
  if (order.kind === 'swap_exact_input') {
    const delivered = outputFor(BigInt(order.input.amountRaw), ...sides);
    return delivered === 0n
      ? { failure: failures.too_little }
      : swapTerms(order.input, { tokenId: outputId, amountRaw: delivered.toString() });
  }
  const needed = inputFor(BigInt(order.output.amountRaw), ...sides);
  if (needed > BigInt(order.inputMaxRaw)) return { failure: failures.not_enough };
  return swapTerms({ tokenId: inputId, amountRaw: needed.toString() }, order.output);
}

function swapTerms(input: TokenAmount, output: TokenAmount): Terms {
  return { input, target: { kind: 'swap', output } };
}

function bothSides(inputId: string, outputId: string, tokens: readonly Token[]): [QuotedToken, QuotedToken] | null {
  const [input, output] = [inputId, outputId].map((tokenId) => {
    const token = tokenOf(tokens, tokenId);
    return token === null ? null : toQuotedToken(token);
  });
  return inputId === outputId || !input || !output ? null : [input, output];
}
