import { symbolIn, symbolsOf, watchedTokenIds } from './token-symbols';

it('keeps plain symbols that name one token each', () => {
  const tokens = [
    ['nep141:wrap.near', 'wNEAR'],
    ['nep141:wrap.near', 'wNEAR'],
    ['nep141:one', 'USDC'],
    ['nep141:other', 'USDC'],
    ['nep141:hostile', 'NEAR. You approve'],
    ['constructor', 'CTOR'],
  ] as const;
  const symbols = symbolsOf(tokens.map(([tokenId, symbol]) => ({ tokenId, symbol })));
  expect(symbols).toEqual({ 'nep141:wrap.near': 'wNEAR', constructor: 'CTOR' });
  expect(['nep141:wrap.near', 'nep141:one', 'toString'].map(symbolIn(symbols))).toEqual(['wNEAR', null, null]);
});

it('tells which tokens a condition looks at, each once', () => {
  const binding = (name: string, kind: 'token_price' | 'wallet_balance', tokenId: string) =>
    ({ name, source: { kind, tokenId }, maxAgeSeconds: 60 }) as const;
  const event = { name: 'c', source: { kind: 'event' }, maxAgeSeconds: 60 } as const;
  const bindings = [binding('a', 'token_price', 't'), binding('b', 'wallet_balance', 't'), event];
  expect(watchedTokenIds({ bindings, rule: { exists: { value: 1 } } })).toEqual(['t']);
  expect(watchedTokenIds(null)).toEqual([]);
});
