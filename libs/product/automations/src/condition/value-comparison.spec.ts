import type { JsonValue } from '@app/kernel';
import fc from 'fast-check';
import type { CompareOp } from './condition';
import { comparable, compareValues } from './value-comparison';

const ops: readonly CompareOp[] = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'];
const compare = (left: JsonValue, op: CompareOp, right: JsonValue) =>
  compareValues(comparable(left), op, comparable(right));
/** The operators of `ops` that hold; null where none is applicable. */
const holding = (left: JsonValue, right: JsonValue) => {
  const answers = ops.map((op) => compare(left, op, right));
  return answers.every((answer) => answer === null)
    ? null
    : ops.filter((_, index) => answers[index] === true).join(' ');
};
const [less, equal, more, alike, unlike] = ['ne lt lte', 'eq lte gte', 'ne gt gte', 'eq', 'ne'];

describe('compareValues', () => {
  it.each<[JsonValue, JsonValue, string | null | undefined]>([
    // Decimals: numbers, and texts that spell one, in any mixture.
    [1.9, 2, less],
    ['1.90', 1.9, equal],
    ['1.90', '2', less],
    ['10', '9', more],
    ['0.30000000000000000001', 0.3, more],
    ['9007199254740993', 9007199254740992, more],
    [1e-7, '0.0000001', equal],
    [1e21, '1000000000000000000000', equal],
    [5e-324, 0, more],
    [1.7976931348623157e308, '2', more],
    [-3, '-2.9', less],
    [-1e-7, 1e-7, less],
    ['-3', -3, equal],
    [-0, '0.00', equal],
    ['-0', 0, equal],
    ['9'.repeat(600), `1${'0'.repeat(600)}`, less],
    // Other texts, by code units.
    ['abc', 'abd', less],
    ['abc', 'abc', equal],
    ['2026-03-01T00:00:00Z', '2026-02-28T00:00:00Z', more],
    ['', 'a', less],
    ['Z', 'a', less],
    // A decimal and another text: unequal, without an order.
    ['1.90', 'two', unlike],
    ['1', '01', unlike],
    ['1', '+1', unlike],
    ['1000', '1e3', unlike],
    ['1', '1.', unlike],
    ['1', ' 1', unlike],
    ['1', '１', unlike],
    // Values of the same kind, without an order.
    [true, true, alike],
    [true, false, unlike],
    [null, null, alike],
    [[1, 'a'], [1, 'a'], alike],
    [[1, 'a'], ['a', 1], unlike],
    [[], [null], unlike],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, alike],
    [{ a: 1 }, { a: 1, b: 1 }, unlike],
    [{ a: 1 }, { constructor: 1 }, unlike],
    [{ constructor: 1 }, { a: 1 }, unlike],
    [{ a: '1' }, { a: '1.0' }, unlike],
    [{ a: [] }, { a: {} }, unlike],
    // Mixtures that cannot be compared.
    ['two', 2, null],
    ['1e3', 1000, null],
    [true, 1, null],
    ['true', true, null],
    [null, 0, null],
    [null, '', null],
    [null, false, null],
    [[1], 1, null],
    [[], {}, null],
    [null, {}, null],
    [{}, '{}', null],
  ])('%j and %j: %s', (left, right, holds) => {
    expect(holding(left, right)).toBe(holds);
    const mirrored = holds && holds.replace(/[lg]t/g, (sign) => (sign === 'lt' ? 'gt' : 'lt'));
    expect(holding(right, left)?.split(' ').sort()).toEqual(mirrored?.split(' ').sort());
  });

  it.each<[JsonValue, JsonValue, boolean | null]>([
    ['swap 10 USDC', 'USDC', true],
    ['swap 10 USDC', 'usdc', false],
    ['abc', '', true],
    ['', '', true],
    ['', 'a', false],
    ['1.90', '1.9', true],
    [['a', 'b'], 'b', true],
    [['abc'], 'b', false],
    [[1.9, null], '1.90', true],
    [['1.90'], 1.9, true],
    [[null, 'a'], null, true],
    [[1], null, false],
    [[[1], { a: 2 }], { a: 2 }, true],
    [[], 'a', false],
    ['19', 9, null],
    [19, 9, null],
    [{ a: 1 }, 'a', null],
    [null, null, null],
    [true, true, null],
  ])('%j contains %j: %s', (left, right, holds) => expect(compare(left, 'contains', right)).toBe(holds));

  it('finds texts in texts as the language does', () => {
    const texts = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\udc4d'), maxLength });
    fc.assert(
      fc.property(texts(40), texts(6), (text, sought) =>
        expect(compare(text, 'contains', sought)).toBe(text.includes(sought)),
      ),
      { numRuns: 2000 },
    );
  });

  it('orders decimals transitively with texts that are none, by having no order with them', () => {
    expect(['9', '10', '9a'].map((text) => compare(text, 'lt', '9a'))).toEqual([null, null, false]);
  });
});
