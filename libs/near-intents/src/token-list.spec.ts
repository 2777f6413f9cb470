import { Unavailable } from '@app/kernel';
import type { ListedToken, OneClick } from './one-click';
import { TokenList } from './token-list';

function token(tokenId: string, symbol: string, blockchain: string, native = false): ListedToken {
  return { tokenId, symbol, name: symbol, decimals: 6, priceUsdDecimal: '1', iconUrl: null, blockchain, native };
}

const tokens = [
  token('nep141:base-0x83.omft.near', 'USDC', 'base'),
  token('nep141:eth-0xa0.omft.near', 'USDC', 'eth'),
  token('nep141:17208628', 'USDC', 'near'),
  token('nep141:arb.omft.near', 'ETH', 'arb', true),
  token('nep141:eth.omft.near', 'ETH', 'eth', true),
  token('nep141:aurora', 'ETH', 'aurora'),
  token('nep141:wrap.near', 'wNEAR', 'near'),
  token('nep245:b', 'POL', 'pol'),
  token('nep245:a', 'POL', 'pol'),
];

/** 1Click as far as a list of tokens needs it, counting how often it is asked. */
function listOf(answers: () => Promise<readonly ListedToken[]>, ttlMs: number) {
  let asked = 0;
  // Reason for the assertion: nothing else of 1Click is asked for its tokens.
  const oneClick = { tokens: () => ((asked += 1), answers()) } as unknown as OneClick;
  return { list: new TokenList(oneClick, ttlMs), asked: () => asked };
}

describe('the list of tokens', () => {
  const { list, asked } = listOf(() => Promise.resolve(tokens), 60_000);
  const idOf = async (symbol: string) => (await list.bySymbol(symbol))?.tokenId;

  it.each([
    ['usdc', 'nep141:17208628'],
    ['ETH', 'nep141:eth.omft.near'],
    ['Near', 'nep141:wrap.near'],
    ['WNEAR', 'nep141:wrap.near'],
    ['pol', 'nep245:a'],
    ['DOGE', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
  ])('knows the usual token called %s', async (symbol, tokenId) => expect(await idOf(symbol)).toBe(tokenId));

  it('tells of a token what the port asks for, no more', async () => {
    const { blockchain: _, native: __, ...described } = tokens[2]!;
    const all = await list.all();
    expect(all.get('nep141:17208628')).toEqual(described);
    expect(all.size).toBe(tokens.length);
  });

  it('is asked for once in a while', async () => {
    await Promise.all([list.all(), list.all(), list.bySymbol('c')]);
    expect(asked()).toBe(1);
  });

  it('is asked for again when it was not answered', async () => {
    const answers = [Promise.reject(new Unavailable('wallet provider')), Promise.resolve(tokens)];
    const failing = listOf(() => answers.shift()!, 60_000);
    await expect(failing.list.all()).rejects.toBeInstanceOf(Unavailable);
    expect((await failing.list.all()).has('nep245:a')).toBe(true);
    expect(failing.asked()).toBe(2);
  });
});
