import type { Instant } from '@app/kernel';
import type { Order, TokenAmount } from '@app/wallets';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { base58 } from './near-signatures';

/** A request for a price. */
export interface QuoteRequest {
  readonly dry: boolean;
  readonly swapType: string;
  /** In basis points. */
  readonly slippageTolerance: number;
  readonly originAsset: string;
  readonly depositType: string;
  readonly destinationAsset: string;
  readonly amount: string;
  readonly refundTo: string;
  readonly refundType: string;
  readonly recipient: string;
  readonly recipientType: string;
  readonly deadline: string;
}

/** An offer; amounts as texts. */
export type WireQuote = Readonly<Record<string, string | number>>;

/** Its answer, as it is sent. */
export interface QuoteAnswer {
  readonly correlationId: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly quoteRequest: Readonly<Record<string, unknown>>;
  readonly quote: Readonly<Record<string, unknown>>;
}

const texts = [
  'swapType',
  'originAsset',
  'depositType',
  'destinationAsset',
  'amount',
  'refundTo',
  'refundType',
  'recipient',
  'recipientType',
  'deadline',
] as const;
const signedOfRequest = [...texts, 'dry', 'slippageTolerance'];
const signedOfRequestIfGiven = [
  'quoteWaitingTimeMs',
  'referral',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
];
const signedOfQuote = [
  'amountIn',
  'amountInFormatted',
  'amountInUsd',
  'minAmountIn',
  'amountOut',
  'amountOutFormatted',
  'amountOutUsd',
  'minAmountOut',
];
const signedOfQuoteIfGiven = [
  'depositAddress',
  'depositMemo',
  'deadline',
  'timeWhenInactive',
  'timeEstimate',
  'virtualChainRecipient',
  'virtualChainRefundRecipient',
  'customRecipientMsg',
  'refundFee',
  'withdrawFee',
];

/** Returns why 1Click refuses a request; null if it accepts it. */
export function wrongRequest(body: Readonly<Record<string, unknown>>): string | null {
  const missing = signedOfRequest.filter((name) => body[name] === undefined);
  if (missing.length > 0) return `missing: ${missing.join(', ')}`;
  const wrong = [
    ...texts.filter((name) => typeof body[name] !== 'string'),
    ...(typeof body['dry'] === 'boolean' ? [] : ['dry']),
    ...(Number.isInteger(body['slippageTolerance']) ? [] : ['slippageTolerance']),
    ...(/^[1-9][0-9]{0,38}$/.test(String(body['amount'])) ? [] : ['amount']),
    ...(Number.isNaN(Date.parse(String(body['deadline']))) ? ['deadline'] : []),
  ];
  return wrong.length > 0 ? `wrong: ${wrong.join(', ')}` : null;
}

/** Returns the order that a request describes, for the market. */
export function orderOf({ originAsset, destinationAsset, amount, swapType }: QuoteRequest): Order['order'] {
  if (swapType === 'EXACT_INPUT') {
    const input = { tokenId: originAsset, amountRaw: amount };
    return { kind: 'swap_exact_input', input, outputTokenId: destinationAsset };
  }
  const output = { tokenId: destinationAsset, amountRaw: amount };
  return { kind: 'swap_exact_output', inputTokenId: originAsset, inputMaxRaw: String(10n ** 39n), output };
}

/** Returns the market's terms as a quote: an exact output is promised in full, and the slippage applies to the input. */
export function offered(
  { swapType, slippageTolerance }: QuoteRequest,
  { input, output }: { readonly input: TokenAmount; readonly output: TokenAmount },
  depositAddress: string,
  deadline: Instant,
): WireQuote {
  const least = (raw: string): string => ((BigInt(raw) * BigInt(10_000 - slippageTolerance)) / 10_000n).toString();
  const [amountIn, amountOut] = [input.amountRaw, output.amountRaw];
  const minima =
    swapType === 'EXACT_INPUT'
      ? { minAmountIn: amountIn, minAmountOut: least(amountOut) }
      : { minAmountIn: least(amountIn), minAmountOut: amountOut };
  return {
    amountIn,
    amountInFormatted: amountIn,
    amountInUsd: '1.0000',
    amountOut,
    amountOutFormatted: amountOut,
    amountOutUsd: '1.0000',
    ...minima,
    depositAddress,
    deadline,
    timeWhenInactive: deadline,
    timeEstimate: 2,
    refundFee: '0',
    withdrawFee: '0',
  };
}

/**
 * Signs quotes as 1Click does: Ed25519 over base58 of the SHA-256 of the members that count, sorted, as JSON.
 *
 * Source: @defuse-protocol/one-click-sdk-typescript 0.1.25, quote-signature. It shares no code with the SDK, so that
 * neither hides the other's mistakes.
 */
export class QuoteSigner {
  private readonly keys = generateKeyPairSync('ed25519');
  /** As `ed25519:` and base58. */
  readonly publicKey = `ed25519:${base58(this.keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))}`;

  /** `change` is applied before signing. */
  answer(request: QuoteRequest, quote: WireQuote, change: (answer: QuoteAnswer) => QuoteAnswer): QuoteAnswer {
    const echo = { ...request, depositMode: 'SIMPLE', confidentiality: 'public', appFees: [] };
    const timestamp = new Date().toISOString();
    const unsigned = { correlationId: randomUUID(), timestamp, signature: '', quoteRequest: echo, quote };
    const answer = change(unsigned);
    const signature = sign(null, Buffer.from(digestOf(answer)), this.keys.privateKey);
    return { ...answer, signature: `ed25519:${base58(signature)}` };
  }
}

function digestOf({ quoteRequest, quote, timestamp }: QuoteAnswer): string {
  const members = {
    ...picked(quoteRequest, signedOfRequest),
    ...given(picked(quoteRequest, signedOfRequestIfGiven)),
    ...picked(quote, signedOfQuote),
    ...given(picked(quote, signedOfQuoteIfGiven)),
    timestamp,
  };
  const sorted = Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1));
  return base58(
    createHash('sha256')
      .update(JSON.stringify(Object.fromEntries(sorted)))
      .digest(),
  );
}

function picked(object: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

function given(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => Boolean(value)));
}
