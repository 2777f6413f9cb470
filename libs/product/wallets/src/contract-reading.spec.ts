import type { Issue } from '@app/kernel';
import { read } from '@app/schema';
import { AutomationContractShape, ContractShape } from './contract.schema';

const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const usdc = { pinned: { tokenId: 'nep141:usdc.near', decimals: 6 } };
const all = { kind: 'all_of_input' };
const withdraw = {
  kind: 'withdraw_to_owner',
  input: usdc,
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};
const swap = { kind: 'swap', input: usdc, output: near, quantity: all };
const bounds = { maxUses: 3, perUseUsd: '5.0', totalUsd: '15', notAfter: '2026-03-01T10:00:00.000Z' };

const contractOf = (...actions: unknown[]) => ({ type: 'ledger_intents_transfer', actions });
const readContract = (value: unknown, options: 'forbidden' | 'required') =>
  options === 'required' ? read(AutomationContractShape, value) : read(ContractShape, value);
const issuesOf = (value: unknown, options: 'forbidden' | 'required' = 'forbidden'): readonly Issue[] => {
  const found = readContract(value, options);
  return !found.ok && found.refusal.kind === 'invalid_input' ? found.refusal.issues : [];
};
const pathsOf = (value: unknown, options?: 'forbidden' | 'required') =>
  issuesOf(value, options).map(({ path }) => path);
const isRead = (value: unknown, options: 'forbidden' | 'required' = 'forbidden') =>
  expect(readContract(value, options)).toStrictEqual({ ok: true, value });

/** A contract of one action, and the pointer's beginning. */
const refusedAt = (path: string, action: unknown) => expect(pathsOf(contractOf(action))).toEqual([`/actions/0${path}`]);

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

describe('a quantity', () => {
  const reads = (quantity: unknown) => isRead(contractOf({ ...swap, quantity }));
  const refuses = (path: string, quantity: unknown) => refusedAt(`/quantity${path}`, { ...swap, quantity });

  it.each(['exact_input_tokens', 'exact_output_tokens'])('%s has a positive amount of at most 39 digits', (kind) => {
    for (const amountRaw of ['1', '10', '9'.repeat(39)]) reads({ kind, amountRaw });
    for (const amountRaw of [
      '',
      '0',
      '00',
      '01',
      '-1',
      '+1',
      '1.0',
      '1e3',
      ' 1',
      '1 ',
      '9'.repeat(40),
      '9'.repeat(161),
      1,
      null,
      '１',
    ])
      refuses('/amountRaw', { kind, amountRaw });
    refuses('/amountRaw', { kind });
    refuses('/value', { kind, amountRaw: '1', value: '1' });
  });
  it('in US dollars has one spelling', () => {
    const kind = 'exact_input_value_usd';
    const reaches = [
      '1',
      '1.0',
      '1.5',
      '0.5',
      '0.01',
      '1.05',
      `${'9'.repeat(39)}.${'9'.repeat(18)}`,
      '0.000000000000000001',
    ];
    for (const value of reaches) reads({ kind, value });
    const misses = [
      '',
      '0',
      '0.0',
      '00.5',
      '01',
      '1.',
      '.5',
      '1.50',
      '1.00',
      '1.10',
      '-1',
      '$1',
      '1,5',
      '1e2',
      1,
      null,
    ];
    for (const value of [...misses, '9'.repeat(40), `0.${'0'.repeat(18)}1`, `0.${'0'.repeat(18)}`])
      refuses('/value', { kind, value });
  });
  it('is a fraction of 1 to 10000 basis points', () => {
    const kind = 'fraction_of_input';
    for (const bps of ['1', '2500', '10000']) reads({ kind, bps });
    for (const bps of ['0', '10001', '99999', '100000', '01', '1.5', '', '-1', 2500, null])
      refuses('/bps', { kind, bps });
  });
  it('is all, without an amount', () => refuses('/amountRaw', { ...all, amountRaw: '1' }));
  it('is one of five', () => {
    refuses('/kind', { kind: 'half' });
    refuses('/kind', {});
    refuses('', '5 USDC');
  });

  it('in tokens needs its side pinned', () => {
    const amountRaw = '5';
    const any = { any: true };
    refusedAt('/input', { ...swap, input: any, quantity: { kind: 'exact_input_tokens', amountRaw } });
    refusedAt('/input', { ...withdraw, input: any });
    refusedAt('/output', { ...swap, output: any, quantity: { kind: 'exact_output_tokens', amountRaw } });
    isRead(contractOf({ ...swap, output: any, quantity: { kind: 'exact_input_tokens', amountRaw } }));
    isRead(contractOf({ ...swap, input: any, quantity: { kind: 'exact_output_tokens', amountRaw } }));
  });
  it('of a withdrawal is one of the input', () =>
    refusedAt('/quantity', { ...withdraw, quantity: { kind: 'exact_output_tokens', amountRaw: '5' } }));
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

describe('bounds', () => {
  const bounded = { ...contractOf(swap), bounds };
  const refused = (path: string, changed: object) =>
    expect(pathsOf({ ...bounded, bounds: { ...bounds, ...changed } }, 'required')).toEqual([`/bounds${path}`]);

  it('are an automation’s only', () => {
    isRead(bounded, 'required');
    expect(issuesOf(bounded)).toEqual([{ path: '/bounds', message: 'is not known' }]);
    expect(issuesOf(contractOf(swap), 'required')).toEqual([{ path: '/bounds', message: 'is required' }]);
    expect(pathsOf({ ...bounded, bounds: null }, 'required')).toEqual(['/bounds']);
  });
  it('allow 1 to 1000 uses', () => {
    for (const maxUses of [1, 1000]) isRead({ ...bounded, bounds: { ...bounds, maxUses } }, 'required');
    for (const maxUses of [0, 1001, 1.5, '3', null]) refused('/maxUses', { maxUses });
  });
  it('are spelled as quantities are', () => {
    for (const usd of ['0', '5.00', '-5', 5, '']) {
      refused('/perUseUsd', { perUseUsd: usd });
      refused('/totalUsd', { totalUsd: usd });
    }
    refused('/memo', { memo: 1 });
  });
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.500Z'],
    ['2026-03-01T10:00:00.0009999-01:00', '2026-03-01T11:00:00.000Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  ])('end at %s', (notAfter, instant) => {
    const found = read(AutomationContractShape, { ...bounded, bounds: { ...bounds, notAfter } });
    expect(found.ok && found.value.bounds.notAfter).toBe(instant);
  });
  it.each([
    '',
    '2026-03-01',
    '2026-03-01T10:00:00',
    '2026-03-01T10:00:00+0100',
    '2026-02-30T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-03-01T10:00:00.0000000001Z',
    5,
    null,
  ])('do not end at %j', (notAfter) => refused('/notAfter', { notAfter }));
});
