import { all, contractOf, isRead, refusedAt, swap, withdraw } from '../../test/contracts';

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
