import { Logger } from '@nestjs/common';
import { isLosslessNumber } from 'lossless-json';
import { Unavailable, type Instant } from '@app/kernel';
import type { Token } from '@app/wallets';
import { plainDecimal } from './decimals';
import type { JsonHttp } from './json-http';
import { Malformed, read } from './reading';

export interface QuoteRequest {
  readonly swapType: 'EXACT_INPUT' | 'EXACT_OUTPUT';
  readonly originAsset: string;
  readonly destinationAsset: string;
  /** Of the origin asset for EXACT_INPUT, of the destination asset for EXACT_OUTPUT. */
  readonly amount: string;
  /** Who pays, receives, and gets back what is not used: an account inside the verifier contract. */
  readonly accountId: string;
  /** When a swap that has not come to be is given back. */
  readonly deadline: Instant;
}

export interface Quote {
  /** An account inside the verifier contract; what it is sent is swapped. */
  readonly depositAddress: string;
  readonly amountIn: string;
  readonly amountOut: string;
  /** Deposits from then on may be lost. */
  readonly inactiveAtMs: number;
}

/** What became of the deposit for a quote. */
export interface Swap {
  readonly status: 'awaiting_deposit' | 'under_way' | 'success' | 'refunded' | 'failed';
  /** What was delivered, if anything. */
  readonly amountOut: string | null;
}

/** How far below its estimate a swap may deliver, in basis points; below that it is refunded. */
const slippageToleranceBps = 100;
const tokensMax = 20_000;
const decimalsMax = 255;
/** How the contract names what it holds (near/intents, contracts/defuse/core/src/token_id). */
const heldByContract = /^nep(141|171|245):./;

const swapStatus: Readonly<Record<string, Swap['status']>> = {
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

  constructor(private readonly http: JsonHttp) {}

  tokens(): Promise<readonly Token[]> {
    return this.http.ask(
      { name: 'tokens', method: 'GET', path: '/v0/tokens', repeatable: true },
      ({ status, body }) => {
        if (status !== 200) throw new Malformed(`status ${status}`);
        return read.list(body, 'tokens', tokensMax).flatMap((token) => this.listed(token));
      },
    );
  }

  /** A token that the contract can hold; one that is malformed is left out alone. */
  private listed(value: unknown): readonly Token[] {
    try {
      const token = listedToken(value);
      return heldByContract.test(token.tokenId) ? [token] : [];
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.logger.warn(`a token is left out: ${error.message}`);
      return [];
    }
  }

  /** An offer with an address to deposit at; null when 1Click makes none. Asking obliges to nothing. */
  quote({ accountId, ...request }: QuoteRequest): Promise<Quote | null> {
    const body = JSON.stringify({
      dry: false,
      slippageTolerance: slippageToleranceBps,
      ...request,
      depositType: 'INTENTS',
      recipient: accountId,
      recipientType: 'INTENTS',
      refundTo: accountId,
      refundType: 'INTENTS',
    });
    return this.http.ask({ name: 'quote', method: 'POST', path: '/v0/quote', body, repeatable: true }, (answer) => {
      if (answer.status === 400) {
        this.logger.warn(`no quote: ${(JSON.stringify(answer.body) ?? '').slice(0, 300)}`);
        return null;
      }
      if (answer.status !== 200 && answer.status !== 201) throw new Malformed(`status ${answer.status}`);
      return offered(answer.body);
    });
  }

  /** What became of the deposit; null when 1Click knows no such address. */
  swap(depositAddress: string): Promise<Swap | null> {
    const path = `/v0/status?depositAddress=${encodeURIComponent(depositAddress)}`;
    return this.http.ask({ name: 'status', method: 'GET', path, repeatable: true }, ({ status: code, body }) => {
      if (code === 404) return null;
      if (code !== 200) throw new Malformed(`status ${code}`);
      const answer = read.object(body, 'status');
      const status = swapStatus[read.text(answer['status'], 'status')];
      if (status === undefined) throw new Malformed('a status that 1Click does not have');
      const { amountOut } = read.object(answer['swapDetails'] ?? {}, 'swapDetails');
      return { status, amountOut: amountOut == null ? null : read.amount(amountOut, 'amountOut') };
    });
  }

  /** Tells 1Click of a deposit that it would find by itself, only later; so nothing is lost when this is not answered. */
  async announceDeposit(depositAddress: string, transactionHash: string, sender: string): Promise<void> {
    const body = JSON.stringify({ txHash: transactionHash, depositAddress, nearSenderAccount: sender });
    try {
      await this.http.ask(
        { name: 'deposit', method: 'POST', path: '/v0/deposit/submit', body, repeatable: false },
        () => undefined,
      );
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error; // JsonHttp has logged the rest
    }
  }
}

function listedToken(value: unknown): Token {
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

/** A price as it was written, to the last digit. Zero is how 1Click says that it has none. */
function priceOf(price: unknown): string | null {
  const decimal = isLosslessNumber(price) ? plainDecimal(price.toString()) : null;
  if (decimal === null) throw new Malformed('a price that is no number from zero on');
  return decimal === '0' ? null : decimal;
}

function offered(body: unknown): Quote {
  const quote = read.object(read.object(body, 'answer')['quote'], 'quote');
  const deadlines = [quote['deadline'], quote['timeWhenInactive'] ?? quote['deadline']];
  return {
    depositAddress: read.account(quote['depositAddress'], 'depositAddress'),
    amountIn: read.amount(quote['amountIn'], 'amountIn'),
    amountOut: read.amount(quote['amountOut'], 'amountOut'),
    inactiveAtMs: Math.min(...deadlines.map((deadline) => read.instantMs(deadline, 'deadline'))),
  };
}
