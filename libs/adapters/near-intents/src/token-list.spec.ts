import { Unavailable } from '@app/kernel';
import type { Token } from '@app/wallets';
import type { OneClick } from './one-click.adapter';
import { TokenList } from './token-list';

function token(tokenId: string, symbol: string): Token {
  return { tokenId, symbol, name: symbol, decimals: 6, priceUsdDecimal: '1', iconUrl: null };
}

const tokens = [
  token('nep141:base-0x83.omft.near', 'USDC'),
  token('nep141:eth-0xa0.omft.near', 'USDC'),
  token('nep141:17208628', 'USDC'),
  token('nep141:arb.omft.near', 'ETH'),
  token('nep141:eth.omft.near', 'ETH'),
  token('nep141:aurora', 'ETH'),
  token('nep141:wrap.near', 'wNEAR'),
  token('nep245:b', 'POL'),
  token('nep245:a', 'POL'),
];

/** A fake 1Click with only a list of tokens, counting how often it is asked. */
function listOf(answers: () => Promise<readonly Token[]>, ttlMs: number) {
  let asked = 0;
  // Reason for the assertion: the list of tokens uses nothing else of 1Click.
  const oneClick = { tokens: () => ((asked += 1), answers()) } as unknown as OneClick;
  return { list: new TokenList(oneClick, ttlMs), asked: () => asked };
}

describe('the list of tokens', () => {
  const { list, asked } = listOf(() => Promise.resolve(tokens), 60_000);
  const idsOf = async (symbol: string) => (await list.findBySymbol(symbol)).map(({ tokenId }) => tokenId);

  it.each([
    ['usdc', ['nep141:17208628', 'nep141:base-0x83.omft.near', 'nep141:eth-0xa0.omft.near']],
    ['ETH', ['nep141:arb.omft.near', 'nep141:aurora', 'nep141:eth.omft.near']],
    ['Near', ['nep141:wrap.near']],
    ['WNEAR', ['nep141:wrap.near']],
    ['pol', ['nep245:a', 'nep245:b']],
    ['DOGE', []],
    ['', []],
    ['__proto__', []],
    ['constructor', []],
  ])('knows all tokens called %s', async (symbol, tokenIds) => expect(await idsOf(symbol)).toEqual(tokenIds));

  it('has each token under its id', async () => {
    const all = await list.all();
    expect(all.get('nep141:17208628')).toEqual(tokens[2]);
    expect(all.size).toBe(tokens.length);
  });

  it('is asked for once in a while', async () => {
    await Promise.all([list.all(), list.all(), list.findBySymbol('c')]);
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
