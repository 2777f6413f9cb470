import type { OperationFailure, Order, Submission, TokenAmount, WalletAccount } from '@app/wallets';
import { failures } from './failures';
import type { OneClick } from './one-click.adapter';
import type { Verifier } from './verifier';

/** An order worked out: one transfer to a receiver inside the verifier contract. */
export interface Offer extends Pick<Submission, 'input' | 'output' | 'leastOutput' | 'quote'> {
  /** The owner's account, or the deposit address of a swap. */
  readonly receiverId: string;
  /** Tokens that arrive there later may be lost. */
  readonly inactiveAtMs: number;
}

/**
 * Works out an order, with a quote of 1Click for swaps. Refuses before anything is signed if the wallet cannot pay.
 * @throws Unavailable
 */
export async function offerFor(
  apis: { readonly verifier: Verifier; readonly oneClick: OneClick },
  { wallet, order, latestDeadline }: Order,
): Promise<Offer | OperationFailure> {
  const offer =
    order.kind === 'withdraw'
      ? { ...withdrawn, receiverId: order.mainAccountId, input: order.input }
      : await quoteFor(apis.oneClick, wallet, order, latestDeadline);
  return 'reason' in offer ? offer : ((await checkBalance(apis.verifier, wallet, offer.input)) ?? offer);
}

/** A transfer to the owner needs no quote. */
const withdrawn = { output: null, leastOutput: null, quote: null, inactiveAtMs: Infinity };

type Swap = Exclude<Order['order'], { readonly kind: 'withdraw' }>;

async function quoteFor(
  oneClick: OneClick,
  { address }: WalletAccount,
  order: Swap,
  deadline: Order['latestDeadline'],
): Promise<Offer | OperationFailure> {
  const [originAsset, destinationAsset] = sidesOf(order);
  const asked = order.kind === 'swap_exact_input' ? order.input.amountRaw : order.output.amountRaw;
  if (asked === '0') return failures.nothing;
  const swapType = order.kind === 'swap_exact_input' ? 'EXACT_INPUT' : 'EXACT_OUTPUT';
  const wanted = { swapType, originAsset, destinationAsset, amount: asked, accountId: address, deadline } as const;
  const quote = await oneClick.quote(wanted);
  if (quote === null) return failures.no_quote;
  const { amountIn, amountOut, leastAmountOut, depositAddress: receiverId, inactiveAtMs } = quote;
  if (order.kind === 'swap_exact_output' && BigInt(amountIn) > BigInt(order.inputMaxRaw))
    return failures.insufficient_balance;
  const input = { tokenId: originAsset, amountRaw: amountIn };
  const leastOutput = { tokenId: destinationAsset, amountRaw: leastAmountOut };
  const output = { tokenId: destinationAsset, amountRaw: amountOut };
  return { receiverId, inactiveAtMs, input, output, leastOutput, quote: quote.text };
}

function sidesOf(order: Swap): readonly [originAsset: string, destinationAsset: string] {
  return order.kind === 'swap_exact_input'
    ? [order.input.tokenId, order.outputTokenId]
    : [order.inputTokenId, order.output.tokenId];
}

/** Why the wallet cannot pay that; null if it can. Checked here because the relay would report it only after it is journaled and sent. */
async function checkBalance(
  verifier: Verifier,
  { address }: WalletAccount,
  { tokenId, amountRaw }: TokenAmount,
): Promise<OperationFailure | null> {
  if (amountRaw === '0') return failures.nothing;
  const balance = await verifier.balance(address, tokenId);
  return BigInt(amountRaw) > BigInt(balance) ? failures.insufficient_balance : null;
}
