import { isJsonObject, type Clock, type JsonObject, type JsonValue, type UserId } from '@app/kernel';
import type { Token, WalletProvider, Wallets } from '@app/wallets';
import { failWith, type AutoTool } from '../tool';

/** Of the tokens that bear one symbol, so many are told. */
const candidatesMax = 20;

interface Parts {
  readonly provider: WalletProvider;
  readonly wallets: Wallets;
  readonly clock: Clock;
}

/**
 * `token_price`: a token's description and price, by its id or its symbol. A symbol that several tokens bear means the one that the
 * wallet holds; else nothing is guessed, and the result is all of them (docs/decisions/money.md).
 */
export function tokenPrice({ provider, wallets, clock }: Parts): AutoTool {
  return {
    name: 'token_price',
    description: 'A token by its id or symbol: its price in US dollars. `candidates`: several bear it; name one.',
    inputSchema: {
      type: 'object',
      properties: { tokenId: { type: 'string' }, symbol: { type: 'string' } },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    },
    effect: 'repeatable',
    consent: 'auto',
    run: async (input, { userId }) => {
      const by = namedToken(input);
      if (by === null) return failWith('the input must be {tokenId: string} or {symbol: string}');
      const found = await tokensMeant(provider, by);
      const [token, ...others] = found.length > 1 ? await narrowToHeld(wallets, userId, found) : found;
      if (token === undefined) return failWith('the token is not known');
      const asOf = clock.now();
      if (others.length === 0) return { outcome: 'ok', result: { ...describeToken(token), asOf } };
      const candidates = [token, ...others].slice(0, candidatesMax).map(describeToken);
      return { outcome: 'ok', result: { candidates, asOf } };
    },
  };
}

type NamedToken = { readonly tokenId: string } | { readonly symbol: string };

function namedToken(input: JsonValue): NamedToken | null {
  if (!isJsonObject(input) || Object.keys(input).length !== 1) return null;
  const { tokenId, symbol } = input;
  if (typeof tokenId === 'string') return { tokenId };
  return typeof symbol === 'string' ? { symbol } : null;
}

async function tokensMeant(provider: WalletProvider, by: NamedToken): Promise<readonly Token[]> {
  if ('symbol' in by) return provider.tokensCalled(by.symbol);
  const token = await provider.findToken(by.tokenId);
  return token === null ? [] : [token];
}

/** Those of the tokens that the wallet holds; all of them where it holds none, or cannot be read. */
async function narrowToHeld(wallets: Wallets, userId: UserId, tokens: readonly Token[]): Promise<readonly Token[]> {
  const spendable = await wallets.spendable(userId);
  const heldIds = new Set(spendable.ok ? spendable.value.map(({ tokenId }) => tokenId) : []);
  const held = tokens.filter(({ tokenId }) => heldIds.has(tokenId));
  return held.length === 0 ? tokens : held;
}

function describeToken({ tokenId, symbol, name, decimals, priceUsdDecimal }: Token): JsonObject {
  return { tokenId, symbol, name, decimals, priceUsdDecimal };
}
