import type { GetExecutionStatusResponse, SubmitDepositTxRequest } from '@defuse-protocol/one-click-sdk-typescript';
import { Logger } from '@nestjs/common';
import { isLosslessNumber } from 'lossless-json';
import { Unavailable } from '@app/kernel';
import type { Token } from '@app/wallets';
import { plainDecimal } from './decimals';
import type { Answer, JsonHttp } from './json-http';
import { quoteRequest, readQuote, WrongQuote, type Quote, type Wanted } from './quotes.adapter';
import { Malformed, read } from './reading';

/** The state of the deposit for a quote. */
export interface Swap {
  readonly status: 'awaiting_deposit' | 'under_way' | 'success' | 'refunded' | 'failed';
  /** The delivered amount, if any. */
  readonly amountOut: string | null;
  /** The returned part of the deposit, if any, after 1Click's fee for it. */
  readonly returned: string | null;
}

const tokensMax = 20_000;
const decimalsMax = 255;
/** How the contract names the tokens that it holds (near/intents, contracts/defuse/core/src/token_id). */
const heldByContract = /^nep(141|171|245):./;

/**
 * The meaning of 1Click's HTTP statuses, by call. A status that is not listed is not an answer; JsonHttp handles those,
 * including 401. Source: the services of 1Click's SDK.
 */
const meanings = {
  tokens: { 200: 'answer' },
  quote: { 200: 'answer', 201: 'answer', 400: 'none' },
  status: { 200: 'answer', 404: 'none' },
  deposit: { 200: 'answer', 201: 'answer', 400: 'none' },
} as const satisfies Record<string, Readonly<Record<number, 'answer' | 'none'>>>;

const swapStatus: Readonly<Record<`${GetExecutionStatusResponse.status}`, Swap['status']>> = {
  PENDING_DEPOSIT: 'awaiting_deposit',
  KNOWN_DEPOSIT_TX: 'under_way',
  INCOMPLETE_DEPOSIT: 'under_way', // given back after the quote's deadline
  PROCESSING: 'under_way',
  SUCCESS: 'success',
  REFUNDED: 'refunded',
  FAILED: 'failed',
};

/** 1Click: tokens with prices, and swaps. Every method throws Unavailable when it was not answered. */
export class OneClick {
  private readonly logger = new Logger(OneClick.name);

  /** `quoteKey`: the key that signs 1Click's quotes; undefined: the key that its SDK knows. */
  constructor(
    private readonly http: JsonHttp,
    private readonly quoteKey?: string,
  ) {}

  tokens(): Promise<readonly Token[]> {
    return this.http.ask({ name: 'tokens', method: 'GET', path: '/v0/tokens', repeatable: true }, (answer) => {
      hasAnswer('tokens', answer);
      return read.list(answer.body, 'tokens', tokensMax).flatMap((token) => this.parseToken(token));
    });
  }

  /** A token that the contract can hold. A malformed one is skipped, and the others are kept. */
  private parseToken(value: unknown): readonly Token[] {
    try {
      const token = readToken(value);
      return heldByContract.test(token.tokenId) ? [token] : [];
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.logger.warn(`a token is left out: ${error.message}`);
      return [];
    }
  }

  /** A quote that may be signed for; null when 1Click makes none, or a wrong one. Asking commits to nothing. */
  quote(wanted: Wanted): Promise<Quote | null> {
    const request = quoteRequest(wanted);
    const call = { name: 'quote', method: 'POST', path: '/v0/quote', body: JSON.stringify(request) } as const;
    return this.http.ask({ ...call, repeatable: true }, (answer) => {
      if (!hasAnswer('quote', answer)) {
        this.logger.warn(`no quote: ${answer.text.slice(0, 300)}`);
        return null;
      }
      try {
        return readQuote(answer.text, request, this.quoteKey);
      } catch (error) {
        if (!(error instanceof WrongQuote)) throw error;
        this.logger.error(`a quote that must not be signed for: ${error.message}`);
        return null;
      }
    });
  }

  /** The state of the deposit; null when 1Click knows no such address. */
  swap(depositAddress: string): Promise<Swap | null> {
    const path = `/v0/status?depositAddress=${encodeURIComponent(depositAddress)}`;
    return this.http.ask({ name: 'status', method: 'GET', path, repeatable: true }, (answer) => {
      if (!hasAnswer('status', answer)) return null;
      const said = read.object(answer.body, 'status');
      const status = read.text(said['status'], 'status');
      if (!isStatus(status)) throw new Malformed('a status that 1Click does not have');
      const { amountOut, refundedAmount } = read.object(said['swapDetails'] ?? {}, 'swapDetails');
      return {
        status: swapStatus[status],
        amountOut: amountOrNull(amountOut, 'amountOut'),
        returned: amountOrNull(refundedAmount, 'refundedAmount'),
      };
    });
  }

  /** Announces a deposit that 1Click would find by itself, only later; so nothing is lost when this is not answered. */
  async announceDeposit(depositAddress: string, transactionHash: string, sender: string): Promise<void> {
    const deposit: SubmitDepositTxRequest = { txHash: transactionHash, depositAddress, nearSenderAccount: sender };
    const body = JSON.stringify(deposit);
    try {
      await this.http.ask(
        { name: 'deposit', method: 'POST', path: '/v0/deposit/submit', body, repeatable: false },
        (answer) => void hasAnswer('deposit', answer),
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error; // JsonHttp has logged it
    }
  }
}

/** Whether the status carries an answer (true) or means that there is none (false). @throws Malformed */
function hasAnswer(call: keyof typeof meanings, { status }: Answer): boolean {
  const meaning: 'answer' | 'none' | undefined = new Map(Object.entries(meanings[call])).get(String(status));
  if (meaning === undefined) throw new Malformed(`status ${status}`);
  return meaning === 'answer';
}

function isStatus(text: string): text is keyof typeof swapStatus {
  return Object.hasOwn(swapStatus, text);
}

function amountOrNull(amount: unknown, where: string): string | null {
  const named = amount == null ? '0' : read.amount(amount, where);
  return named === '0' ? null : named;
}

function readToken(value: unknown): Token {
  const token = read.object(value, 'token');
  const symbol = read.text(token['symbol'], 'symbol');
  return {
    tokenId: read.text(token['assetId'], 'assetId'),
    symbol,
    name: symbol,
    decimals: token['decimals'] == null ? null : read.count(token['decimals'], 'decimals', decimalsMax),
    priceUsdDecimal: token['price'] == null ? null : priceOf(token['price']),
    iconUrl: null,
  };
}

/** A price exactly as written, to the last digit. Zero is 1Click's notation for no price. */
function priceOf(price: unknown): string | null {
  const decimal = isLosslessNumber(price) ? plainDecimal(price.toString()) : null;
  if (decimal === null) throw new Malformed('a price that is no number from zero on');
  return decimal === '0' ? null : decimal;
}
