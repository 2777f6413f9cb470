import { Injectable } from '@nestjs/common';
import { Clock, decimalOf, decimalText, parseDecimal, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import type { Token } from '@app/wallets';
import { pathPriceMicroUsd } from './price-path';
import type { ProviderFault } from '../faults/provider-faults';
import type { QuotedToken } from './quotes';
import { marketTokens, symbolAliases, type MarketToken } from './tokens';

/** The same in every sandbox, so that tests are repeatable. */
const pathSeed = 'parley';
const microUsdScale = 6;

/** The market as the provider describes it at one moment, including its faults. */
export interface MarketView {
  readonly faults: ProviderFault;
  readonly tokens: readonly Token[];
}

/** Called when a price is pinned or released; the composition binds it to the component that watches prices. */
export abstract class PinnedPrices {
  /** Resolves when the watcher of the token's price knows the new one. @throws Unavailable */
  abstract priceChanged(tokenId: string): Promise<void>;
}

/** The sandbox's tokens and their prices: pinned, or on a path driven by the service clock. */
@Injectable()
export class Market {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @throws Unavailable */
  async look(): Promise<MarketView> {
    const [row] = await this.database.query<{ faults: ProviderFault; pinned: Record<string, string> }>(
      `SELECT faults.value AS faults, prices.value AS pinned FROM sandbox_state AS faults, sandbox_state AS prices
       WHERE faults.name = 'provider_faults' AND prices.name = 'pinned_prices'`,
    );
    if (row === undefined) throw new Error('the rows of the provider’s faults and prices are missing');
    const { faults, pinned } = row;
    const now = this.clock.now();
    const tokens = marketTokens.map((token) =>
      describeToken(token, pinned[token.tokenId] ?? pathPrice(token, now), faults),
    );
    return { faults, tokens };
  }

  /** Whether the market has the token, so that its price can be pinned. */
  knows(tokenId: string): boolean {
    return marketTokens.some((token) => token.tokenId === tokenId);
  }

  /** Fixes a token's price, or lets it follow its path again (null). @throws Unavailable */
  async pin(tokenId: string, priceUsdDecimal: string | null): Promise<void> {
    await this.database.query(
      `UPDATE sandbox_state SET value = CASE WHEN $2::text IS NULL THEN value - $1 ELSE value || jsonb_build_object($1::text, $2::text) END
       WHERE name = 'pinned_prices'`,
      [tokenId, priceUsdDecimal],
    );
  }
}

/** The token with this id. */
export function tokenOf(tokens: readonly Token[], tokenId: string): Token | null {
  return tokens.find((token) => token.tokenId === tokenId) ?? null;
}

/** The tokens with this symbol, in any case. */
export function tokensCalled(tokens: readonly Token[], symbol: string): readonly Token[] {
  const lower = symbol.toLowerCase();
  const alias = Object.hasOwn(symbolAliases, lower) ? symbolAliases[lower] : undefined;
  return tokens.filter((token) => token.tokenId === alias || token.symbol.toLowerCase() === lower);
}

/** The data for quoting a token; null when its decimals or its price are unknown. */
export function toQuotedToken({ decimals, priceUsdDecimal }: Token): QuotedToken | null {
  const price = priceUsdDecimal === null ? null : parseDecimal(priceUsdDecimal);
  return decimals === null || price === null ? null : { decimals, price };
}

function describeToken(token: MarketToken, price: string | null, { unpriced, undescribed }: ProviderFault): Token {
  const { tokenId, symbol, name, decimals, iconUrl } = token;
  return {
    tokenId,
    symbol,
    name,
    iconUrl,
    decimals: undescribed ? null : decimals,
    priceUsdDecimal: unpriced ? null : price,
  };
}

function pathPrice({ tokenId, baseMicroUsd, swingPpm }: MarketToken, at: Instant): string | null {
  if (baseMicroUsd === null) return null;
  return decimalText(decimalOf(pathPriceMicroUsd(pathSeed, tokenId, { baseMicroUsd, swingPpm }, at), microUsdScale));
}
