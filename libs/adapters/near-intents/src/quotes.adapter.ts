import { QuoteRequest, verifyQuoteSignature, type QuoteResponse } from '@defuse-protocol/one-click-sdk-typescript';
import type { Instant } from '@app/kernel';
import { Malformed, read } from './reading';

/** The parameters of a swap that needs a quote. */
export interface Wanted {
  readonly swapType: 'EXACT_INPUT' | 'EXACT_OUTPUT';
  readonly originAsset: string;
  readonly destinationAsset: string;
  /** Amount of the origin asset for EXACT_INPUT, of the destination asset for EXACT_OUTPUT. */
  readonly amount: string;
  /** The account inside the verifier contract that pays, receives, and gets unused input back. */
  readonly accountId: string;
  /** When the input of a swap that did not happen is returned. */
  readonly deadline: Instant;
}

/** A quote that may be signed for. */
export interface Quote {
  /** An account inside the verifier contract; tokens sent to it are swapped. */
  readonly depositAddress: string;
  readonly amountIn: string;
  readonly amountOut: string;
  /** For less, the deposit is given back. */
  readonly leastAmountOut: string;
  /** Deposits from then on may be lost. */
  readonly inactiveAtMs: number;
  /** The exact answer: its signature is evidence in disputes. */
  readonly text: string;
}

/** A quote that must not be signed for: forged, or for something other than was requested. Its message is for the log. */
export class WrongQuote extends Error {}

/** How far below its estimate a swap may deliver, in basis points; for less it is refunded. */
const slippageToleranceBps = 100;
const wholeBps = 10_000;
const answerLengthMax = 16 * 1024;
/** An implicit account, which 1Click creates for each quote. */
const depositAccount = /^[0-9a-f]{64}$/;
/** Members that would route a deposit, or its result, differently from what was requested. */
const detours = ['depositMemo', 'virtualChainRecipient', 'virtualChainRefundRecipient', 'customRecipientMsg'];

/** The request sent to 1Click. */
export function quoteRequest({ accountId, swapType, ...wanted }: Wanted): QuoteRequest {
  return {
    dry: false,
    depositMode: QuoteRequest.depositMode.SIMPLE,
    swapType: QuoteRequest.swapType[swapType],
    slippageTolerance: slippageToleranceBps,
    ...wanted,
    depositType: QuoteRequest.depositType.INTENTS,
    recipient: accountId,
    recipientType: QuoteRequest.recipientType.INTENTS,
    refundTo: accountId,
    refundType: QuoteRequest.refundType.INTENTS,
  };
}

/**
 * The quote in an answer, if it may be signed for: signed by 1Click, for exactly what was requested, and promising as
 * much as the user was shown (docs/decisions/money.md, "Settlement").
 *
 * @param publicKey 1Click's signing key, as `ed25519:` and base58; undefined: the key that the SDK knows
 * @throws Malformed, WrongQuote
 */
export function readQuote(text: string, request: QuoteRequest, publicKey: string | undefined): Quote {
  if (text.length > answerLengthMax) throw new Malformed('a quote that is too long');
  const answer = read.object(JSON.parse(text), 'answer');
  const echo = read.object(answer['quoteRequest'], 'quoteRequest');
  const quoted = read.object(answer['quote'], 'quote');
  const quote: Quote = {
    depositAddress: read.account(quoted['depositAddress'], 'depositAddress'),
    amountIn: read.amount(quoted['amountIn'], 'amountIn'),
    amountOut: read.amount(quoted['amountOut'], 'amountOut'),
    leastAmountOut: read.amount(quoted['minAmountOut'], 'minAmountOut'),
    inactiveAtMs: inactiveAtMs(quoted),
    text,
  };
  const leastIn = read.amount(quoted['minAmountIn'], 'minAmountIn');
  const wrong =
    wrongEcho(echo, request) ?? wrongWay(quote, echo, quoted) ?? wrongAmounts(quote, BigInt(leastIn), request);
  if (wrong !== null) throw new WrongQuote(wrong);
  // The signature is checked last, because that costs most. Reason for the assertion: the SDK accepts any answer, and
  // returns false.
  if (!verifyQuoteSignature(answer as unknown as QuoteResponse, publicKey))
    throw new WrongQuote('the signature is not 1Click’s');
  return quote;
}

function inactiveAtMs(quoted: Readonly<Record<string, unknown>>): number {
  const deadlines = [quoted['deadline'], quoted['timeWhenInactive'] ?? quoted['deadline']];
  return Math.min(...deadlines.map((deadline) => read.instantMs(deadline, 'deadline')));
}

/** 1Click echoes the request and adds what it chose itself, such as its fees (`appFees`), which are included in the amounts. */
function wrongEcho(echo: Readonly<Record<string, unknown>>, request: QuoteRequest): string | null {
  const other = Object.entries(request).find(([name, value]) => echo[name] !== value);
  return other === undefined ? null : `it is for another ${other[0]}`;
}

function wrongWay(
  { depositAddress }: Quote,
  echo: Readonly<Record<string, unknown>>,
  quoted: Readonly<Record<string, unknown>>,
): string | null {
  if (!depositAccount.test(depositAddress)) return 'its deposit address is no account of its own';
  if (depositAddress === echo['recipient']) return 'its deposit address is the wallet itself';
  const detour = detours.find((name) => [echo[name], quoted[name]].some((value) => value != null && value !== ''));
  if (detour !== undefined) return `it names a ${detour}`;
  return (echo['confidentiality'] ?? 'public') === 'public' ? null : 'it is confidential';
}

/** For an exact input the user was shown the slippage, for an exact output the output itself. */
function wrongAmounts(quote: Quote, leastIn: bigint, { swapType, amount }: QuoteRequest): string | null {
  const [amountIn, amountOut, leastOut] = [
    BigInt(quote.amountIn),
    BigInt(quote.amountOut),
    BigInt(quote.leastAmountOut),
  ];
  if (leastIn > amountIn) return 'it wants more than the deposit that it names';
  if (leastOut === 0n || leastOut > amountOut) return 'it promises nothing, or more than it says';
  if (swapType === QuoteRequest.swapType.EXACT_OUTPUT)
    return leastOut < BigInt(amount) ? 'it promises less than what is to be received' : null;
  if (amountIn !== BigInt(amount)) return 'it is for another input';
  const bound = (amountOut * BigInt(wholeBps - slippageToleranceBps)) / BigInt(wholeBps);
  return leastOut < bound ? 'it promises less than the slippage allows' : null;
}
