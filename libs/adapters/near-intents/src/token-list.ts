import type { Token } from '@app/wallets';
import type { OneClick } from './one-click.adapter';

/** 1Click's tokens, cached for a while. */
export class TokenList {
  private listed: Promise<readonly Token[]> | null = null;
  private askedAtMs = 0;

  /** `ttlMs`: how long an answer is cached, in real time. */
  constructor(
    private readonly oneClick: OneClick,
    private readonly ttlMs: number,
  ) {}

  /** All known tokens, by id. @throws Unavailable */
  async all(): Promise<ReadonlyMap<string, Token>> {
    return new Map((await this.current()).map((token) => [token.tokenId, token]));
  }

  /** All tokens with the symbol, in any case, ordered by id: often one token on many chains. @throws Unavailable */
  async findBySymbol(symbol: string): Promise<readonly Token[]> {
    const lower = symbol.toLowerCase();
    const wanted = lower === 'near' ? 'wnear' : lower; // NEAR itself is not traded; the token that wraps it is
    return (await this.current())
      .filter((token) => token.symbol.toLowerCase() === wanted)
      .sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1));
  }

  private current(): Promise<readonly Token[]> {
    const nowMs = performance.now();
    if (this.listed !== null && nowMs - this.askedAtMs < this.ttlMs) return this.listed;
    const listed = this.oneClick.tokens();
    this.listed = listed;
    this.askedAtMs = nowMs;
    // The caller gets the error, and the next caller asks again. The handler also keeps a failed refresh from being an
    // unhandled rejection.
    listed.catch(() => {
      if (this.listed === listed) this.listed = null;
    });
    return listed;
  }
}
