import { instantOf, type Instant, type JsonValue } from '@app/kernel';
import fc from 'fast-check';
import type { Binding, CompareOp, Condition, Operand, Reading, Readings, RuleNode } from '../src/condition/condition';

/** The instant of every evaluation here. */
export const at: Instant = instantOf(Date.UTC(2026, 2, 1));

/** A condition and the readings of its sources. */
export interface Case {
  readonly condition: Condition;
  readonly readings: Readings;
}

/**
 * Few and similar, so that equal and neighbouring values meet: spellings of the same numbers, texts that are nearly
 * numbers.
 */
const values = fc.constantFrom<JsonValue>(
  0,
  -0,
  1,
  1.9,
  2,
  -3,
  1e-7,
  1e21,
  0.1,
  '1.90',
  '1.9',
  '2',
  '-3',
  '0.0000001',
  '1000000000000000000000',
  '0.10',
  '-0.0',
  '1e3',
  '007',
  '+2',
  'abc',
  'ab',
  'b',
  '',
  true,
  false,
  null,
  [],
  [2, 'ab'],
  ['1.90', null],
  [[2]],
  {},
  { a: 2 },
  { a: '2' },
  { constructor: 1 },
);
const names = ['p', 'constructor', 'w', 'e'] as const;
const fields = [
  '',
  '/a',
  '/b',
  '/none',
  '/constructor',
  '/list',
  '/list/0',
  '/list/-',
  '/list/00',
  '/a~1b/m~0n',
  '/in/a',
];
const ops: readonly CompareOp[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'];

const numbers = fc.constantFrom<JsonValue>(-3, 0, 1.9, 2, '1.90', '2', '-3.0');

const documents = fc
  .record({ n: numbers, a: values, b: values, x: values, deep: values, full: fc.boolean() })
  .map(({ n, a, b, x, deep, full }): JsonValue => ({
    n,
    ...(full ? { a, b } : { a }),
    list: [x, b],
    'a/b': { 'm~n': deep },
    in: { a: x },
  }));

/** Around the relevant ages: 61 s ahead is the future, and bindings accept at most 60 or 3600 s. */
const ageSeconds = fc.constantFrom(-61, -60, -1, 0, 1, 30, 60, 61, 3600, 3601);
export const freshAgeSeconds = fc.constantFrom(-60, -1, 0, 1, 30, 60);

export function readingsAged(binding: Binding, ages: fc.Arbitrary<number>): fc.Arbitrary<Reading> {
  return fc.record({ age: ages, value: documents }).map(({ age, value }) => {
    const time = instantOf(Date.parse(at) - age * 1000);
    const known = { eventId: 'sample', receivedAt: at, status: 'ready', reason: null, value } as const;
    return binding.source.kind === 'event'
      ? { ...known, kind: 'received_event', sourceId: 'event', sourceTime: null, providerPublishedAt: time }
      : { ...known, kind: 'snapshot', sourceId: 'token_price:t', sourceTime: time, providerPublishedAt: null };
  });
}

/** Any reading of a source, mostly a ready one. */
export function anyReadings(binding: Binding): fc.Arbitrary<Reading | undefined> {
  const ready = readingsAged(binding, ageSeconds);
  const broken = fc
    .tuple(ready, fc.constantFrom('unavailable' as const, 'gap' as const))
    .map(([reading, status]): Reading => ({ ...reading, status, reason: 'not answered', value: null }));
  const fresh = readingsAged(binding, freshAgeSeconds);
  return fc.oneof({ weight: 6, arbitrary: fresh }, ready, broken, fc.constant(undefined));
}

const operands: fc.Arbitrary<Operand> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ binding: fc.constantFrom(...names), field: fc.constantFrom(...fields) }) },
  { weight: 2, arbitrary: values.map((value) => ({ value })) },
);
const numberOperands: fc.Arbitrary<Operand> = fc.oneof(
  fc.record({ binding: fc.constantFrom('p', 'constructor', 'e'), field: fc.constant('/n') }),
  numbers.map((value) => ({ value })),
);
const leaves: fc.Arbitrary<RuleNode> = fc.oneof(
  // Resolved wherever its sources are readable, so that known verdicts are frequent.
  {
    weight: 6,
    arbitrary: fc
      .record({ left: numberOperands, op: fc.constantFrom(...ops.slice(0, 6)), right: numberOperands })
      .map(compare),
  },
  { weight: 4, arbitrary: fc.record({ left: operands, op: fc.constantFrom(...ops), right: operands }).map(compare) },
  operands.map((exists) => ({ exists })),
);
function compare(members: { left: Operand; op: CompareOp; right: Operand }): RuleNode {
  return { compare: members };
}

/** At most 8 deep, with at most 27 leaves. */
const rules: fc.Arbitrary<RuleNode> = rulesOver(3).chain((rule) =>
  fc
    .integer({ min: 0, max: 4 })
    .map((times) => Array.from({ length: times }).reduce<RuleNode>((not) => ({ not }), rule)),
);

function rulesOver(levels: number): fc.Arbitrary<RuleNode> {
  if (levels === 0) return leaves;
  const below = rulesOver(levels - 1);
  const lists = fc.array(below, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    leaves,
    lists.map((all) => ({ all })),
    lists.map((any) => ({ any })),
    below.map((not) => ({ not })),
  );
}

const bindings: fc.Arbitrary<readonly Binding[]> = fc
  .tuple(fc.constantFrom(60, 3600), fc.constantFrom(60, 3600), fc.constantFrom(60, 3600), fc.boolean())
  .map(([first, second, third, whole]) => [
    { name: 'p', source: { kind: 'token_price', tokenId: 't' }, maxAgeSeconds: first },
    { name: 'constructor', source: { kind: 'wallet_balance', tokenId: 't' }, maxAgeSeconds: second },
    // Sometimes a name that the rule may use is not bound.
    ...(whole ? [{ name: 'w', source: { kind: 'token_price', tokenId: 'u' }, maxAgeSeconds: 60 } as const] : []),
    { name: 'e', source: { kind: 'event' }, maxAgeSeconds: third },
  ]);

export const cases: fc.Arbitrary<Case> = fc
  .record({ bindings, rule: rules, skewSeconds: fc.constantFrom(undefined, undefined, 0, 31, 60) })
  .map(({ skewSeconds, ...condition }) => (skewSeconds === undefined ? condition : { ...condition, skewSeconds }))
  .chain((condition) =>
    fc
      .tuple(...condition.bindings.map(anyReadings))
      .map((known) => ({ condition, readings: readingsOf(condition.bindings, known) })),
  );

export function readingsOf(bindings: readonly Binding[], known: readonly (Reading | undefined)[]): Readings {
  return Object.fromEntries(bindings.map(({ name }, index) => [name, known[index]]));
}
