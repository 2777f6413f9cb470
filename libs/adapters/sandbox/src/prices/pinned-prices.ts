/** Called when a price is pinned or released; the composition binds it to the component that watches prices. */
export abstract class PinnedPrices {
  /** Resolves when the watcher of the token's price knows the new one. @throws Unavailable */
  abstract priceChanged(tokenId: string): Promise<void>;
}
