import { asId, instantOf, ok, type UserId } from '@app/kernel';
import type { Token } from '@app/wallets';
import type { CallContext } from '../tool';
import { toolOf } from '../tool-declaration';
import { TokenPrice } from './token-price.tool';

const token = (tokenId: string, symbol: string): Token => {
  return { tokenId, symbol, name: symbol, decimals: 6, priceUsdDecimal: '1', iconUrl: null };
};
const tokens = [
  token('nep141:eth.bridge.near', 'ETH'),
  token('nep141:eth.omft.near', 'ETH'),
  token('nep141:usdc', 'USDC'),
  ...Array.from({ length: 30 }, (_, at) => token(`nep141:dust-${at}.near`, 'DUST')),
];

/** The tool's answer if the wallet holds these. */
async function priceOf(input: Record<string, string>, held: readonly string[] = []) {
  const provider = {
    findToken: async (tokenId: string) => tokens.find((one) => one.tokenId === tokenId) ?? null,
    tokensCalled: async (symbol: string) => tokens.filter((one) => one.symbol === symbol),
  };
  const wallets = { spendable: async () => ok(held.map((tokenId) => ({ tokenId, amountRaw: '1' }))) };
  const clock = { now: () => instantOf(0) };
  // Reason for the assertions: the tool uses nothing else of these parts.
  const tool = toolOf(new TokenPrice(provider as never, wallets as never, clock as never));
  if (tool.consent !== 'auto') throw new Error('it needs no consent');
  const context = { userId: asId<UserId>('user') } as CallContext;
  return tool.run(input, context, new AbortController().signal);
}

const named = (tokenId: string) => ({ outcome: 'ok', result: expect.objectContaining({ tokenId }) as unknown });

describe('token_price', () => {
  it('tells a token by its id, and by a symbol that one token bears', async () => {
    expect(await priceOf({ tokenId: 'nep141:eth.omft.near' })).toMatchObject(named('nep141:eth.omft.near'));
    expect(await priceOf({ symbol: 'USDC' })).toMatchObject(named('nep141:usdc'));
  });

  it('means the one that the wallet holds by a symbol that several bear', async () => {
    expect(await priceOf({ symbol: 'ETH' }, ['nep141:eth.bridge.near'])).toMatchObject(named('nep141:eth.bridge.near'));
  });

  it.each([
    ['none of them', ['nep141:usdc']],
    ['more than one', tokens.map(({ tokenId }) => tokenId)],
  ])('guesses nothing where the wallet holds %s', async (_, held) =>
    expect(await priceOf({ symbol: 'ETH' }, held)).toMatchObject({
      outcome: 'ok',
      result: { candidates: [{ tokenId: 'nep141:eth.bridge.near' }, { tokenId: 'nep141:eth.omft.near' }] },
    }),
  );

  it('says where there are more of a symbol than it lists', async () => {
    const { result } = await priceOf({ symbol: 'DUST' });
    expect(result).toMatchObject({ candidates: { length: 20 }, truncated: true });
    expect((await priceOf({ symbol: 'ETH' })).result).not.toHaveProperty('truncated');
  });

  it('knows no other token', async () => {
    expect(await priceOf({ symbol: 'DOGE' })).toMatchObject({ outcome: 'error' });
    expect(await priceOf({ tokenId: 'ETH' })).toMatchObject({ outcome: 'error' });
    expect(await priceOf({ tokenId: 'nep141:usdc', symbol: 'USDC' })).toMatchObject({ outcome: 'error' });
  });
});
