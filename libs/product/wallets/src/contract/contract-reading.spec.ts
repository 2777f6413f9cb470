import {
  all,
  bounds,
  contractOf,
  isRead,
  issuesOf,
  near,
  pathsOf,
  refusedAt,
  swap,
  usdc,
  withdraw,
} from '../../test/contracts';

describe('a contract', () => {
  it('holds 1 to 16 actions', () => {
    isRead(contractOf(withdraw));
    isRead(contractOf(...Array<unknown>(16).fill(swap)));
    for (const actions of [[], Array(17).fill(swap), {}, null, 'swap'])
      expect(pathsOf({ type: 'ledger_intents_transfer', actions })).toEqual(['/actions']);
  });
  it.each([null, [], 'contract', 5, undefined])('is no %j', (value) =>
    expect(issuesOf(value)).toEqual([{ path: '', message: 'must be an object' }]),
  );
  it('is of the one type', () => expect(pathsOf({ ...contractOf(swap), type: 'other' })).toEqual(['/type']));
  it('has no other members', () => {
    expect(pathsOf({ ...contractOf(swap), memo: 'x' })).toEqual(['/memo']);
    expect(pathsOf(JSON.parse(`{"__proto__": {}, "type": "ledger_intents_transfer", "actions": []}`))).toEqual([
      '/__proto__',
      '/actions',
    ]);
  });
  it('takes nothing from a prototype', () =>
    expect(pathsOf(Object.create(contractOf(swap)))).toEqual(['/type', '/actions']));
  it('tells all that is wrong at once, one issue a place', () => {
    const wrongSwap = { kind: 'swap', input: {}, quantity: { kind: 'fraction_of_input' }, 'a/b~': 1 };
    expect(issuesOf({ actions: [wrongSwap, 5, { kind: 'burn' }] })).toEqual([
      { path: '/type', message: 'is required' },
      { path: '/actions/0/a~1b~0', message: 'is not known' },
      { path: '/actions/0/output', message: 'is required' },
      { path: '/actions/0/input', message: 'must have either pinned or any' },
      { path: '/actions/0/quantity/bps', message: 'is required' },
      { path: '/actions/1', message: 'must be an object' },
      { path: '/actions/2/kind', message: 'must be swap or withdraw_to_owner' },
    ]);
  });
  it('tells at most 32 issues, and repeats no long name', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 1]));
    expect(issuesOf({ ...contractOf(swap), ...many })).toHaveLength(32);
    expect(pathsOf({ ...contractOf(swap), ['x'.repeat(257)]: 1 })).toEqual(['']);
  });
});

describe('an action', () => {
  it('is known by its kind', () => {
    refusedAt('/kind', { ...swap, kind: 'transfer' });
    refusedAt('/kind', { input: usdc, quantity: all });
    for (const action of [null, 'swap', [swap]]) refusedAt('', action);
  });
  it('has its members and no others', () => {
    refusedAt('/output', { ...withdraw, output: near });
    refusedAt('/destination', { ...withdraw, destination: 'eve.near' });
    refusedAt('/output', { kind: 'swap', input: usdc, quantity: all });
    refusedAt('/input', { kind: 'withdraw_to_owner', quantity: all });
  });
  it('swaps one token for another', () => {
    isRead(contractOf({ ...swap, input: { any: true }, output: { any: true } }));
    isRead(contractOf({ ...swap, input: { any: true }, output: near }));
    refusedAt('/output', { ...swap, output: usdc });
    refusedAt('/output', { ...swap, output: { pinned: { ...usdc.pinned, decimals: 7 } } });
  });
});

describe('a choice of token', () => {
  it('is either pinned or any', () => {
    isRead(contractOf({ ...withdraw, input: { any: true }, quantity: all }));
    refusedAt('/input', { ...withdraw, input: { ...usdc, any: true } });
    refusedAt('/input', { ...withdraw, input: {} });
    refusedAt('/input', { ...withdraw, input: { pinned: null, any: null } });
    refusedAt('/input', { ...withdraw, input: 'USDC' });
    for (const any of [false, 'true', 1]) refusedAt('/input/any', { ...withdraw, input: { any }, quantity: all });
    refusedAt('/input/symbol', { ...withdraw, input: { ...usdc, symbol: 'USDC' } });
    refusedAt('/input/symbol', { ...swap, input: { any: true, symbol: 'USDC' } });
  });

  const pinning = (pinned: unknown) => ({ ...withdraw, input: { pinned } });
  it.each([
    'nep141:a',
    'nep141:wrap.near',
    'nep141:eth-0xdac17f.omft_2.near',
    'nep141:17208628f84f5d6ad33f0da3bbbeb27f',
    `nep141:${'a'.repeat(505)}`,
  ])('pins %s', (tokenId) => isRead(contractOf(pinning({ tokenId, decimals: 6 }))));
  it.each([
    '',
    'nep141:',
    'nep245:v2_1.omni.hot.tg:1100_sandbox',
    'NEP141:wrap.near',
    'wrap.near',
    'nep141:Wrap.near',
    'nep141:.near',
    'nep141:near.',
    'nep141:a..b',
    'nep141:a b',
    'nep141:a/b',
    'nep141:é',
    'nep141:a\n',
    `nep141:${'a'.repeat(506)}`,
  ])('does not pin %j', (tokenId) => refusedAt('/input/pinned/tokenId', pinning({ tokenId, decimals: 6 })));
  it('pins decimals of 0 to 38', () => {
    for (const decimals of [0, 38]) isRead(contractOf(pinning({ ...usdc.pinned, decimals })));
    for (const decimals of [-1, 39, 1.5, '6', null, NaN])
      refusedAt('/input/pinned/decimals', pinning({ ...usdc.pinned, decimals }));
    refusedAt('/input/pinned/decimals', pinning({ tokenId: 'nep141:a' }));
  });
});

describe('a list of one text', () => {
  it('is not the text, though the language takes it for one', () => {
    const quantities = [
      { kind: 'exact_input_tokens', amountRaw: ['5'] },
      { kind: 'exact_input_value_usd', value: ['5'] },
      { kind: 'fraction_of_input', bps: ['5'] },
    ];
    for (const quantity of quantities)
      expect(pathsOf(contractOf({ ...swap, quantity }))[0]).toMatch(/^\/actions\/0\/quantity\/(amountRaw|value|bps)$/);
    const pinned = { tokenId: ['nep141:a'], decimals: 6 };
    refusedAt('/input/pinned/tokenId', { ...swap, input: { pinned } });
    const listed = { ...contractOf(swap), bounds: { ...bounds, notAfter: [bounds.notAfter] } };
    expect(pathsOf(listed, 'required')).toEqual(['/bounds/notAfter']);
  });
});

describe('an issue', () => {
  const spoiled = (kind: string) => ({ ...swap, quantity: { kind, amountRaw: '0' } });
  it.each([
    [contractOf(), 'must be a list of 1 to 16 items'],
    [
      contractOf(spoiled('exact_output_tokens')),
      'must be a text of 1 to 39 digits, positive and without leading zeros',
    ],
    [
      contractOf({ ...swap, quantity: { kind: 'exact_input_value_usd', value: '0' } }),
      'must be a positive decimal text of at most 39 digits and 18 fraction digits, without needless zeros',
    ],
    [
      contractOf({ ...swap, quantity: { kind: 'fraction_of_input', bps: '0' } }),
      'must be a text of a whole number from 1 to 10000',
    ],
    [
      contractOf({ ...withdraw, input: { pinned: { tokenId: 'USDC', decimals: 6 } } }),
      'must be nep141: and lower-case alphanumeric segments joined by . _ or -, at most 512 characters',
    ],
    [
      contractOf({ ...withdraw, input: { pinned: { tokenId: 'nep141:a', decimals: 39 } } }),
      'must be a whole number from 0 to 38',
    ],
    [contractOf({ ...withdraw, input: { any: true } }), 'must be pinned for exact_input_tokens'],
    [contractOf({ ...withdraw, input: { any: false } }), 'must be true'],
    [contractOf({ ...swap, output: usdc }), 'must be another token than the input'],
    [
      contractOf({ ...withdraw, quantity: { kind: 'exact_output_tokens', amountRaw: '5' } }),
      'must be a quantity of the input',
    ],
  ])('of %j says what is asked', (contract, message) =>
    expect(issuesOf(contract).map((issue) => issue.message)).toEqual([message]),
  );
});
