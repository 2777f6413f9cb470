import type { Contract, PinnedToken } from './contract';

/** The provider's symbol of a token, or null. */
export type SymbolOf = (tokenId: string) => string | null;
/** How sentences name a token. */
export type NameOf = (token: PinnedToken) => string;

/** A symbol comes from a provider: only one that cannot pass for a part of the sentence is shown. */
const plainSymbol = /^[A-Za-z0-9$₮]{1,12}(?:[.+-][A-Za-z0-9]{1,12})?$/;
/** All that can be pinned is of one standard, so a shortened id leaves it out. */
const standard = /^nep141:/;

/**
 * Names for the tokens of a contract, of at most `lengthMax` characters: its symbol, or its id, both ends of it where it is longer. A
 * symbol that two tokens of the contract share, or that is not a plain word, is not used.
 *
 * @returns null when two tokens would go by one name
 */
export function namesIn(contract: Contract, symbolOf: SymbolOf, lengthMax = Infinity): NameOf | null {
  const tokenIds = [...new Set(tokensOf(contract).map(({ tokenId }) => tokenId))];
  const symbols = tokenIds.map((tokenId) => symbolOf(tokenId));
  const isItsOwn = (symbol: string) => symbols.indexOf(symbol) === symbols.lastIndexOf(symbol);
  const nameOf = (tokenId: string): string => {
    const symbol = symbolOf(tokenId);
    const isShown = symbol !== null && symbol.length <= lengthMax && plainSymbol.test(symbol) && isItsOwn(symbol);
    return isShown ? symbol : shorten(tokenId, lengthMax);
  };
  const names = new Map(tokenIds.map((tokenId) => [tokenId, nameOf(tokenId)]));
  return new Set(names.values()).size < names.size ? null : ({ tokenId }) => names.get(tokenId) ?? tokenId;
}

function shorten(tokenId: string, lengthMax: number): string {
  if (tokenId.length <= lengthMax) return tokenId;
  const account = tokenId.replace(standard, '');
  if (account.length <= lengthMax) return account;
  const ahead = Math.ceil((lengthMax - 1) / 2);
  return `${account.slice(0, ahead)}…${account.slice(ahead + 1 - lengthMax)}`;
}

function tokensOf({ actions }: Contract): readonly PinnedToken[] {
  const sides = actions.flatMap((action) => (action.kind === 'swap' ? [action.input, action.output] : [action.input]));
  return sides.flatMap((side) => ('pinned' in side ? [side.pinned] : []));
}
