import { isSpelled } from '@app/kernel';
import type { StoredCondition } from './condition';

/** The provider's symbol of a token; null where it has none that can be shown. */
export type SymbolOf = (tokenId: string) => string | null;

/** The provider's symbols, at the time of the definition, of the tokens that a rule names; by token id. */
export type TokenSymbols = { readonly [tokenId: string]: string };

/** The symbols that identify one token each; tokens with a shared symbol, or one that is no ticker, are named by their ids. */
export function symbolsOf(tokens: readonly { readonly tokenId: string; readonly symbol: string }[]): TokenSymbols {
  const byId = new Map(tokens.map(({ tokenId, symbol }) => [tokenId, symbol]));
  const symbols = [...byId.values()];
  const isItsOwn = (symbol: string): boolean => symbols.indexOf(symbol) === symbols.lastIndexOf(symbol);
  return Object.fromEntries([...byId].filter(([, symbol]) => isSpelled(symbol, 'ticker') && isItsOwn(symbol)));
}

export function symbolIn(symbols: TokenSymbols): SymbolOf {
  return (tokenId) => (Object.hasOwn(symbols, tokenId) ? (symbols[tokenId] ?? null) : null);
}

/** The tokens whose sources a condition reads, each once. */
export function watchedTokenIds(condition: StoredCondition | null): readonly string[] {
  const watched = (condition?.bindings ?? []).flatMap(({ source }) =>
    source.kind === 'event' ? [] : [source.tokenId],
  );
  return [...new Set(watched)];
}
