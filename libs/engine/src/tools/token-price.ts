import { isJsonObject, type Clock, type JsonValue } from '@app/kernel';
import type { WalletProvider } from '@app/wallets';
import { failed, type AutoTool } from '../tool';

/** `token_price`: a token's description and price, by its id or its usual symbol. */
export function tokenPrice(provider: WalletProvider, clock: Clock): AutoTool {
  return {
    name: 'token_price',
    description: 'A token by its id or by its usual symbol: its description and its price in US dollars.',
    inputSchema: {
      type: 'object',
      properties: { tokenId: { type: 'string' }, symbol: { type: 'string' } },
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
    },
    effect: 'repeatable',
    consent: 'auto',
    run: async (input) => {
      const by = namedToken(input);
      if (by === null) return failed('the input must be {tokenId: string} or {symbol: string}');
      const token = await provider.findToken(by);
      if (token === null) return failed('the token is not known');
      const { tokenId, symbol, name, decimals, priceUsdDecimal } = token;
      return { outcome: 'ok', result: { tokenId, symbol, name, decimals, priceUsdDecimal, asOf: clock.now() } };
    },
  };
}

function namedToken(input: JsonValue): { readonly tokenId: string } | { readonly symbol: string } | null {
  if (!isJsonObject(input) || Object.keys(input).length !== 1) return null;
  const { tokenId, symbol } = input;
  if (typeof tokenId === 'string') return { tokenId };
  return typeof symbol === 'string' ? { symbol } : null;
}
