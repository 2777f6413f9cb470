import { Injectable, Logger } from '@nestjs/common';
import { unscaledAmount } from '@app/consent';
import { decimalOf, decimalText, multiply, parseDecimal, unreachable, failureWords } from '@app/kernel';
import type { JsonObject, UserId, Ours } from '@app/kernel';
import { SessionRejected, WalletProvider, Wallets, type Token } from '@app/wallets';
import type { Sample } from './source-sample';
import type { SourceInUse } from './source-key';

/** A source's present value, or why it has none. */
export type Answer = Pick<Sample, 'status' | 'value' | 'reason'>;

/** The provider counts as unavailable after this time. */
const answerWithinMs = 8_000;

const away = unavailable('The provider did not answer.');
const unknownToken = unavailable('The provider does not know this token.');
const noPrice = unavailable('The provider has no price for this token now.');
const noDecimals = unavailable('The provider does not say how this token is counted.');
const noWallet = unavailable('The user has no wallet yet.');
const noSession = unavailable('The wallet must be connected again.');

/** Reads the sources of rules from the wallet provider. */
@Injectable()
export class AskSource {
  private readonly logger = new Logger(AskSource.name);

  constructor(
    private readonly provider: WalletProvider,
    private readonly wallets: Wallets,
  ) {}

  /** Never throws: any failure of the provider makes the source unavailable, in our own words. */
  async ask({ source, userId }: SourceInUse): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Answer>((resolve) => (timer = setTimeout(() => resolve(away), answerWithinMs)));
    try {
      return await Promise.race([late, this.answer(source.kind, source.tokenId, userId)]);
    } catch (error) {
      if (error instanceof SessionRejected) return noSession;
      this.logger.warn(`a source was not read: ${failureWords(error)}`);
      return away;
    } finally {
      clearTimeout(timer);
    }
  }

  private async answer(kind: SourceInUse['source']['kind'], tokenId: string, userId: UserId | null): Promise<Answer> {
    switch (kind) {
      case 'token_price':
        return this.price(tokenId);
      case 'wallet_balance':
        return userId === null ? noWallet : this.balance(tokenId, userId);
      default:
        return unreachable(kind);
    }
  }

  private async price(tokenId: string): Promise<Answer> {
    const token = await this.provider.findToken(tokenId);
    if (token === null) return unknownToken;
    const { priceUsdDecimal } = token;
    return priceUsdDecimal === null ? noPrice : ready({ tokenId, priceUsd: priceUsdDecimal });
  }

  private async balance(tokenId: string, userId: UserId): Promise<Answer> {
    const wallet = await this.wallets.find(userId);
    if (wallet === null) return noWallet;
    const held = (await this.provider.holdings(wallet)).find((holding) => holding.tokenId === tokenId);
    if (held !== undefined) return balanceOf(held, held.amountRaw);
    const token = await this.provider.findToken(tokenId);
    return token === null ? unknownToken : balanceOf(token, '0');
  }
}

function balanceOf({ tokenId, decimals, priceUsdDecimal }: Token, amountRaw: string): Answer {
  const price = priceUsdDecimal === null ? null : parseDecimal(priceUsdDecimal);
  if (decimals === null) return noDecimals;
  if (price === null) return noPrice;
  const valueUsd = decimalText(multiply(decimalOf(BigInt(amountRaw), decimals), price));
  return ready({ tokenId, amountRaw, amount: unscaledAmount(amountRaw, decimals), valueUsd });
}

function ready(value: JsonObject): Answer {
  return { status: 'ready', value, reason: null };
}

function unavailable<const Text extends string>(reason: Ours<Text>): Answer {
  return { status: 'unavailable', value: null, reason };
}
