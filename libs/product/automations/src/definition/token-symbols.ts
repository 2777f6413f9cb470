import type { Condition } from '../condition/condition';

/** The provider's symbol of a token; null where it has none that can be shown. */
export type SymbolOf = (tokenId: string) => string | null;

/** What the provider called the tokens that a rule names when it was defined, by token id. */
export type TokenSymbols = { readonly [tokenId: string]: string };

const plainSymbol = /^[A-Za-z0-9$₮]{1,12}(?:[.+-][A-Za-z0-9]{1,12})?$/;

/** A symbol comes from a provider: only one that cannot pass for a part of a sentence is shown. */
export function isPlainSymbol(symbol: string): boolean {
  return plainSymbol.test(symbol);
}

/** The symbols that name one token each; tokens that share a symbol, or whose symbol is not a plain word, go by their ids. */
export function symbolsOf(tokens: readonly { readonly tokenId: string; readonly symbol: string }[]): TokenSymbols {
  const byId = new Map(tokens.map(({ tokenId, symbol }) => [tokenId, symbol]));
  const symbols = [...byId.values()];
  const isItsOwn = (symbol: string): boolean => symbols.indexOf(symbol) === symbols.lastIndexOf(symbol);
  return Object.fromEntries([...byId].filter(([, symbol]) => isPlainSymbol(symbol) && isItsOwn(symbol)));
}

export function symbolIn(symbols: TokenSymbols): SymbolOf {
  return (tokenId) => (Object.hasOwn(symbols, tokenId) ? (symbols[tokenId] ?? null) : null);
}

/** The tokens that a condition looks at, each once. */
export function watchedTokenIds(condition: Condition | null): readonly string[] {
  const watched = (condition?.bindings ?? []).flatMap(({ source }) =>
    source.kind === 'event' ? [] : [source.tokenId],
  );
  return [...new Set(watched)];
}
