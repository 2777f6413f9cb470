import type { Token } from '@app/wallets';
import type { ListedToken, OneClick } from './one-click';

/** 1Click's tokens, asked for at most once in a while. */
export class TokenList {
  private listed: Promise<readonly ListedToken[]> | null = null;
  private askedAtMs = 0;

  /** `ttlMs`: how long an answer is good, in real time. */
  constructor(
    private readonly oneClick: OneClick,
    private readonly ttlMs: number,
  ) {}

  /** All tokens that are known, by id. @throws Unavailable */
  async all(): Promise<ReadonlyMap<string, Token>> {
    return new Map((await this.current()).map((token) => [token.tokenId, described(token)]));
  }

  /** The usual one of the tokens with the symbol, which is often one token on many chains. @throws Unavailable */
  async bySymbol(symbol: string): Promise<Token | null> {
    const lower = symbol.toLowerCase();
    const wanted = lower === 'near' ? 'wnear' : lower; // NEAR itself is not traded; the token that wraps it is
    const [usual] = (await this.current())
      .filter((token) => token.symbol.toLowerCase() === wanted)
      .sort((a, b) => unusualness(a) - unusualness(b) || (a.tokenId < b.tokenId ? -1 : 1));
    return usual === undefined ? null : described(usual);
  }

  private current(): Promise<readonly ListedToken[]> {
    const nowMs = performance.now();
    if (this.listed !== null && nowMs - this.askedAtMs < this.ttlMs) return this.listed;
    const listed = this.oneClick.tokens();
    this.listed = listed;
    this.askedAtMs = nowMs;
    // Whoever asked is told; the next one asks again. Nothing is returned here: a newer list that fails would be nobody's to handle.
    listed.catch(() => {
      if (this.listed === listed) this.listed = null;
    });
    return listed;
  }
}

/** First NEAR's own, then the coin on the chain that has its name, then a chain's own coin, then any. */
function unusualness({ blockchain, symbol, native }: ListedToken): number {
  if (blockchain === 'near') return 0;
  if (native && blockchain === symbol.toLowerCase()) return 1;
  return native ? 2 : 3;
}

function described({ tokenId, symbol, name, decimals, priceUsdDecimal, iconUrl }: ListedToken): Token {
  return { tokenId, symbol, name, decimals, priceUsdDecimal, iconUrl };
}
