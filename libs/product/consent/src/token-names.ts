import { isSpelled, quoted, spelled, type Words } from '@app/kernel';
import type { Contract, PinnedToken } from './contract';

/** The provider's symbol of a token, or null. */
export type SymbolOf = (tokenId: string) => string | null;
/** How sentences name a token. */
export type NameOf = (token: PinnedToken) => Words;

/** Left out of a shortened id, because all tokens that can be pinned have this standard. */
const standard = /^nep141:/;

/**
 * Names for the tokens of a contract, of at most `lengthMax` characters: a symbol, or an id, which is shortened to its
 * two ends if longer. A symbol that two tokens of the contract share, or that is no ticker, is not used.
 *
 * @returns null when two tokens would have the same name
 */
export function namesIn(contract: Contract, symbolOf: SymbolOf, lengthMax = Infinity): NameOf | null {
  const tokenIds = [...new Set(tokensOf(contract).map(({ tokenId }) => tokenId))];
  const symbols = tokenIds.map((tokenId) => symbolOf(tokenId));
  const isItsOwn = (symbol: string) => symbols.indexOf(symbol) === symbols.lastIndexOf(symbol);
  const nameOf = (tokenId: string): Words => {
    const symbol = symbolOf(tokenId);
    const isShown = symbol !== null && symbol.length <= lengthMax && isSpelled(symbol, 'ticker') && isItsOwn(symbol);
    return isShown ? spelled(symbol, 'ticker') : shorten(tokenId, lengthMax);
  };
  const names = new Map(tokenIds.map((tokenId) => [tokenId, nameOf(tokenId)]));
  return new Set(names.values()).size < names.size
    ? null
    : ({ tokenId }) => names.get(tokenId) ?? spelled(tokenId, 'tokenId');
}

/** A shortened id is quoted because, without its standard or with only its two ends, it could be mistaken for a word. */
function shorten(tokenId: string, lengthMax: number): Words {
  if (tokenId.length <= lengthMax) return spelled(tokenId, 'tokenId');
  const account = tokenId.replace(standard, '');
  const room = lengthMax - 2;
  if (account.length <= room) return quoted(account);
  const ahead = Math.ceil((room - 1) / 2);
  return quoted(`${account.slice(0, ahead)}…${account.slice(ahead + 1 - room)}`);
}

function tokensOf({ actions }: Contract): readonly PinnedToken[] {
  const sides = actions.flatMap((action) => (action.kind === 'swap' ? [action.input, action.output] : [action.input]));
  return sides.flatMap((side) => ('pinned' in side ? [side.pinned] : []));
}
