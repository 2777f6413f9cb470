/** Told of prices that are pinned or let go; the composition binds it to whatever watches prices. */
export abstract class PinnedPrices {
  /** Returns when whoever watches the token's price knows the new one. @throws Unavailable */
  abstract priceChanged(tokenId: string): Promise<void>;
}
