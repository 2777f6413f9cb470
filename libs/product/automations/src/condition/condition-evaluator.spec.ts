import { asId, instantOf, isJsonObject, type Instant, type JsonValue } from '@app/kernel';
import type { Binding, Condition, Operand, Reading, RuleNode } from './condition';
import { evaluate } from './condition-evaluator';

const at = instantOf(Date.UTC(2026, 2, 1));
const ago = (seconds: number): Instant => instantOf(Date.parse(at) - seconds * 1000);

const sampled = (name: string, maxAgeSeconds = 120): Binding => ({
  name,
  source: { kind: 'token_price', tokenId: name },
  maxAgeSeconds,
});
const bindings: readonly Binding[] = [
  sampled('price'),
  sampled('other'),
  { name: 'event', source: { kind: 'event' }, maxAgeSeconds: 120 },
];
const sample = (value: JsonValue, ageSeconds = 0, status: Reading['status'] = 'ready'): Reading => ({
  kind: 'snapshot',
  sourceId: 'token_price:x',
  eventId: 'sample',
  receivedAt: at,
  status,
  reason: null,
  sourceTime: ago(ageSeconds),
  providerPublishedAt: null,
  value,
});
const event = (value: JsonValue, ageSeconds = 0): Reading => ({
  ...sample(value),
  kind: 'received_event',
  sourceTime: null,
  providerPublishedAt: ago(ageSeconds),
});

const field = (binding: string, pointer = '/priceUsd'): Operand => ({ binding, field: pointer });
const below = (binding: string, value: JsonValue): RuleNode => ({
  compare: { left: field(binding), op: 'lt', right: { value } },
});
const two = { priceUsd: '1.90' };
const verdict = (rule: RuleNode, readings: Record<string, Reading>, more: Partial<Condition> = {}) =>
  evaluate({ bindings, rule, ...more }, readings, at).verdict;
const reasons = (rule: RuleNode, readings: Record<string, Reading>, more: Partial<Condition> = {}) =>
  evaluate({ bindings, rule, ...more }, readings, at).reasons;

describe('evaluate', () => {
  it('is true without a condition', () =>
    expect(evaluate(null, {}, at)).toEqual({ verdict: 'true', evaluatedAt: at, reasons: [] }));

  it('compares prices as decimals', () => {
    expect(verdict(below('price', '2'), { price: sample(two) })).toBe('true');
    expect(verdict(below('price', '1.9'), { price: sample(two) })).toBe('false');
    expect(verdict(below('price', 10), { price: sample(two) })).toBe('true');
  });

  const yes = below('price', '2');
  const no = below('price', '1');
  const open = below('other', '2');
  it.each<[string, RuleNode, string]>([
    ['all: true and unknown', { all: [yes, open] }, 'unknown'],
    ['all: false and unknown', { all: [open, no] }, 'false'],
    ['all: true', { all: [yes, yes] }, 'true'],
    ['any: true and unknown', { any: [open, yes] }, 'true'],
    ['any: false and unknown', { any: [no, open] }, 'unknown'],
    ['any: false', { any: [no, no] }, 'false'],
    ['not unknown', { not: open }, 'unknown'],
    ['not true', { not: yes }, 'false'],
    ['not false', { not: no }, 'true'],
  ])('%s', (_, rule, expected) => expect(verdict(rule, { price: sample(two) })).toBe(expected));

  it('looks at every leaf, and gives the reasons in the order of the rule', () => {
    const both = { compare: { left: field('price', '/none'), op: 'eq', right: field('other') } } as const;
    const rule: RuleNode = {
      any: [yes, { not: { all: [open, both] } }, open, { not: { not: { exists: field('event') } } }],
    };
    expect(evaluate({ bindings, rule }, { price: sample(two) }, at)).toEqual({
      verdict: 'true',
      evaluatedAt: at,
      reasons: [
        { nodePath: [1, 0, 0], code: 'missing_source', binding: 'other' },
        { nodePath: [1, 0, 1], code: 'missing_field', binding: 'price' },
        { nodePath: [2], code: 'missing_source', binding: 'other' },
        { nodePath: [3, 0, 0], code: 'missing_source', binding: 'event' },
      ],
    });
  });

  it('has a reason for a leaf that is the whole rule', () =>
    expect(reasons(open, {})).toEqual([{ nodePath: [], code: 'missing_source', binding: 'other' }]));

  it.each<[string, Reading | undefined, string | null]>([
    ['missing_source', undefined, 'missing_source'],
    ['unavailable', sample(null, 0, 'unavailable'), 'unavailable'],
    ['gap', sample(null, 9999, 'gap'), 'gap'],
    ['61 s ahead', sample(two, -61), 'future'],
    ['60 s ahead', sample(two, -60), null],
    ['as old as it may be', sample(two, 120), null],
    ['older', sample(two, 121), 'stale'],
    ['without the field', sample({}), 'missing_field'],
    ['of a text', sample({ priceUsd: 'unknown' }), 'invalid_value'],
    ['of null', sample({ priceUsd: null }), 'invalid_value'],
    ['an old event', event(two, 121), 'stale'],
    ['an event of the future', event(two, -61), 'future'],
    ['an event', event(two, 120), null],
  ])('%s', (_, reading, code) => {
    const readings = reading === undefined ? {} : { price: reading };
    const expected = code === null ? [] : [{ nodePath: [], code, binding: 'price' }];
    expect(reasons(yes, readings)).toEqual(expected);
    expect(verdict(yes, readings)).toBe(code === null ? 'true' : 'unknown');
  });

  it('knows of every field whether it exists, once its source can be read', () => {
    const exists = (pointer: string): RuleNode => ({ exists: field('price', pointer) });
    const readings = { price: sample({ priceUsd: null }) };
    expect(verdict(exists('/priceUsd'), readings)).toBe('true');
    expect(verdict(exists('/none'), readings)).toBe('false');
    expect(verdict(exists('/toString'), readings)).toBe('false');
    expect(verdict({ exists: { value: null } }, {})).toBe('true');
    expect(verdict(exists('/none'), { price: sample({}, 121) })).toBe('unknown');
    expect(verdict(exists('/none'), {})).toBe('unknown');
  });

  it('sees the whole event', () => {
    const received = event({ id: 'e-1', type: 'sale', occurredAt: at, data: { items: [{ sku: 'a/b' }] } });
    const has = (pointer: string, value: JsonValue): RuleNode => ({
      compare: { left: field('event', pointer), op: 'contains', right: { value } },
    });
    expect(verdict({ all: [has('/type', 'sale'), has('/data/items/0/sku', '/')] }, { event: received })).toBe('true');
  });

  it('names the binding of the first operand that has one where values cannot be compared', () => {
    const compare = (left: Operand, right: Operand): RuleNode => ({ compare: { left, op: 'gt', right } });
    const readings = { price: sample(two), other: sample({ priceUsd: true }) };
    const told = (rule: RuleNode) => reasons(rule, readings).map(({ code, binding }) => [code, binding]);
    expect(told(compare({ value: true }, field('price')))).toEqual([['invalid_value', 'price']]);
    expect(told(compare(field('other'), field('price')))).toEqual([['invalid_value', 'other']]);
    expect(told(compare({ value: 1 }, { value: 'one' }))).toEqual([['invalid_value', undefined]]);
  });

  describe('with skewSeconds', () => {
    const rule: RuleNode = { any: [yes, open, { exists: field('event') }] };
    const of = (...ages: [number, number]) => ({ price: sample(two, ages[0]), other: sample(two, ages[1]) });
    const codes = (readings: Record<string, Reading>, skewSeconds: number) =>
      reasons(rule, { ...readings, event: event({}, 100) }, { skewSeconds }).map(({ code }) => code);

    it('takes snapshots up to that distance', () => {
      expect(codes(of(0, 30), 30)).toEqual([]);
      expect(codes(of(30, 0), 30)).toEqual([]);
      expect(codes(of(0, 0), 0)).toEqual([]);
      expect(codes(of(0, 31), 30)).toEqual(['snapshot_skew', 'snapshot_skew']);
      expect(codes(of(31, 0), 30)).toEqual(['snapshot_skew', 'snapshot_skew']);
    });
    it('counts no snapshot while another that the rule reads is not to be had', () => {
      expect(codes({ price: sample(two) }, 30)).toEqual(['snapshot_skew', 'missing_source']);
      expect(codes(of(0, 121), 3600)).toEqual(['snapshot_skew', 'stale']);
    });
    it('does not look at what the rule does not read', () => {
      expect(verdict(yes, of(0, 100), { skewSeconds: 1 })).toBe('true');
      expect(verdict(yes, { price: sample(two) }, { skewSeconds: 1 })).toBe('true');
    });
    it('is a matter of snapshots, not of events', () =>
      expect(codes({ ...of(0, 0), event: event({}, 100) }, 30)).toEqual([]));
  });

  it('takes names that are those of inherited members, and finds nothing under them', () => {
    const named = [{ ...sampled('price'), name: 'constructor' }];
    const rule: RuleNode = { exists: field('constructor', '') };
    expect(evaluate({ bindings: named, rule }, {}, at).reasons).toEqual([
      { nodePath: [], code: 'missing_source', binding: 'constructor' },
    ]);
    expect(evaluate({ bindings: named, rule }, { constructor: sample(two) }, at).verdict).toBe('true');
  });

  it('cannot read what is not bound', () =>
    expect(reasons(below('nobody', 1), { nobody: sample(two) })).toEqual([
      { nodePath: [], code: 'missing_source', binding: 'nobody' },
    ]));

  it('looks each field up once, however many leaves read it', () => {
    let reads = 0;
    const counted = (value: JsonValue): JsonValue =>
      isJsonObject(value)
        ? new Proxy(value, {
            get: (target, name) => {
              reads += 1;
              return counted(target[String(name)] ?? null);
            },
          })
        : value;
    const document = counted({ a: { b: { c: { d: { e: { f: { g: '1'.repeat(1000) } } } } } } });
    const leaf: RuleNode = { compare: { left: field('price', '/a/b/c/d/e/f/g'), op: 'lt', right: { value: '2' } } };
    expect(verdict({ any: Array.from({ length: 255 }, () => leaf) }, { price: sample(document) })).toBe('false');
    expect(reads).toBe(7);
  });

  it('leaves its arguments alone', () => {
    const condition: Condition = Object.freeze({ bindings, rule: Object.freeze({ all: Object.freeze([yes, open]) }) });
    const readings = Object.freeze({ price: Object.freeze(sample(two)) });
    expect(evaluate(condition, readings, asId<Instant>(at))).toEqual(evaluate(condition, readings, at));
  });
});
