import type { Issue } from '@app/kernel';
import { object, read, withoutOthers } from '@app/schema';
import { unboundNames } from './condition';
import { ConditionShape } from './condition.schema';

const price = { name: 'price', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 120 };
const below = { compare: { left: { binding: 'price', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } };
const condition = { bindings: [price], rule: below };

function issuesOf(value: unknown): readonly Issue[] {
  const found = read(ConditionShape, value);
  if (found.ok) return [];
  if (found.refusal.kind !== 'invalid_input') throw new Error(found.refusal.kind);
  expect(found.refusal.issues.length).toBeGreaterThan(0);
  return found.refusal.issues;
}
const issuesOfRule = (rule: unknown) => issuesOf({ ...condition, rule });
const issuesOfBinding = (change: object) => issuesOf({ ...condition, bindings: [{ ...price, ...change }] });
const paths = (issues: readonly Issue[]) => issues.map(({ path }) => path);
const list = (length: number, item: unknown) => Array.from({ length }, () => item);
const nested = (depth: number): unknown => (depth === 1 ? below : { not: nested(depth - 1) });

describe('a condition', () => {
  it.each([
    condition,
    { ...condition, skewSeconds: 0 },
    { ...condition, skewSeconds: 86_400 },
    { bindings: [{ ...price, name: `a${'-'.repeat(31)}`, maxAgeSeconds: 1 }], rule: below },
    { bindings: [{ ...price, source: { kind: 'event' }, maxAgeSeconds: 86_400 }], rule: nested(8) },
    { bindings: [{ ...price, source: { kind: 'wallet_balance', tokenId: '!'.repeat(512) } }], rule: below },
    { bindings: [1, 2, 3, 4, 5].map((number) => ({ ...price, name: `p${number}` })), rule: { all: list(255, below) } },
    { bindings: [price], rule: { exists: { binding: 'unbound', field: '' } } },
    { bindings: [price], rule: { any: [{ exists: { value: null } }, { not: { exists: { value: [{}] } } }] } },
    { bindings: [price], rule: { exists: { binding: 'price', field: `/${'a'.repeat(1023)}` } } },
  ])('reads %#', (value) => expect(read(ConditionShape, value)).toEqual({ ok: true, value }));

  it.each([
    [null, ''],
    [[], ''],
    ['', ''],
    [{}, '/bindings /rule'],
    [{ ...condition, more: 1 }, '/more'],
    [{ ...condition, skewSeconds: '60' }, '/skewSeconds'],
    [{ ...condition, rule: null }, '/rule'],
    [{ ...condition, skewSeconds: -1 }, '/skewSeconds'],
    [{ ...condition, skewSeconds: 86_401 }, '/skewSeconds'],
    [{ ...condition, skewSeconds: 0.5 }, '/skewSeconds'],
    [{ ...condition, bindings: [] }, '/bindings'],
    [{ ...condition, bindings: list(6, price) }, '/bindings'],
    [{ ...condition, bindings: { 0: price } }, '/bindings'],
    [{ ...condition, bindings: [price, { ...price, maxAgeSeconds: 5 }] }, '/bindings/1/name'],
    [{ bindings: [{}], rule: [] }, '/bindings/0/name /bindings/0/source /bindings/0/maxAgeSeconds /rule'],
  ])('refuses %#', (value, expected) => expect(paths(issuesOf(value)).join(' ')).toBe(expected));

  it.each([
    [{ name: '' }, '/name'],
    [{ name: '1a' }, '/name'],
    [{ name: 'a.b' }, '/name'],
    [{ name: 'ä' }, '/name'],
    [{ name: 'a\n' }, '/name'],
    [{ name: 'a'.repeat(33) }, '/name'],
    [{ name: 7 }, '/name'],
    [{ maxAgeSeconds: 0 }, '/maxAgeSeconds'],
    [{ maxAgeSeconds: 86_401 }, '/maxAgeSeconds'],
    [{ maxAgeSeconds: '60' }, '/maxAgeSeconds'],
    [{ maxAgeSeconds: 1.5 }, '/maxAgeSeconds'],
    [{ label: 'x' }, '/label'],
    [{ source: null }, '/source'],
    [{ source: {} }, '/source/kind'],
    [{ source: { kind: 'weather' } }, '/source/kind'],
    [{ source: { kind: 'event', tokenId: 'x' } }, '/source/tokenId'],
    [{ source: { kind: 'token_price' } }, '/source/tokenId'],
    [{ source: { kind: 'token_price', tokenId: '' } }, '/source/tokenId'],
    [{ source: { kind: 'token_price', tokenId: 'a b' } }, '/source/tokenId'],
    [{ source: { kind: 'wallet_balance', tokenId: 'a'.repeat(513) } }, '/source/tokenId'],
    [{ source: { kind: 'wallet_balance', tokenId: 'a', userId: 'b' } }, '/source/userId'],
  ])('refuses a binding with %j', (change, path) =>
    expect(paths(issuesOfBinding(change))).toEqual([`/bindings/0${path}`]),
  );

  const operand = (left: unknown) => ({ compare: { ...below.compare, left } });
  it.each([
    ['true', true, ''],
    ['no kind of node', {}, ''],
    ['two kinds', { ...below, not: below }, ''],
    ['an unknown kind', { none: [below] }, ''],
    ['an unknown member', { not: below, because: 'x' }, '/because'],
    ['an empty list', { all: [] }, '/all'],
    ['no list', { any: below }, '/any'],
    ['a bad member', { any: [below, { all: [7] }] }, '/any/1/all/0'],
    ['no list item', { not: [below] }, '/not'],
    ['an unknown operation', { compare: { ...below.compare, op: '<' } }, '/compare/op'],
    ['no right side', { compare: { left: { value: 1 }, op: 'eq' } }, '/compare/right'],
    ['a bare value', operand(2), '/compare/left'],
    ['an operand of nothing', operand({}), '/compare/left/binding /compare/left/field'],
    ['an operand of both', operand({ value: 1, binding: 'a' }), '/compare/left/binding'],
    ['a bad name', operand({ binding: 'a b', field: '' }), '/compare/left/binding'],
    ['no pointer', operand({ binding: 'price', field: 'priceUsd' }), '/compare/left/field'],
    ['a bad escape', operand({ binding: 'price', field: '/~2' }), '/compare/left/field'],
    ['an overlong pointer', operand({ binding: 'price', field: `/${'a'.repeat(1024)}` }), '/compare/left/field'],
    ['a pointer in another form', operand({ binding: 'price', field: ['priceUsd'] }), '/compare/left/field'],
    ['too many entries', operand({ value: list(257, 0) }), '/compare/left/value'],
    ['too many bytes', operand({ value: 'é'.repeat(8192) }), '/compare/left/value'],
    ['too many levels', operand({ value: [[[[[[[[[]]]]]]]]] }), '/compare/left/value'],
    ['what is no JSON', operand({ value: undefined }), '/compare/left/value'],
    ['an infinity', operand({ value: [Infinity] }), '/compare/left/value'],
    ['no operand to exist', { exists: 'price' }, '/exists'],
  ])('refuses a rule with %s', (_, rule, expected) =>
    expect(paths(issuesOfRule(rule)).join(' ')).toBe(
      expected === '' ? '/rule' : expected.replaceAll(/(?<=^| )/g, '/rule'),
    ),
  );

  it('counts levels and nodes', () => {
    expect(issuesOfRule(nested(8))).toEqual([]);
    expect(issuesOfRule(nested(9))).toEqual([{ path: `/rule${'/not'.repeat(8)}`, message: 'must be at most 8 deep' }]);
    expect(issuesOfRule({ all: list(255, below) })).toEqual([]);
    expect(issuesOfRule({ all: list(256, below) })).toEqual([
      { path: '/rule', message: 'must have at most 256 nodes' },
    ]);
    const wide = { all: list(16, { any: list(15, below) }) };
    expect(issuesOfRule(wide)).toEqual([{ path: '/rule', message: 'must have at most 256 nodes' }]);
    expect(issuesOfRule({ all: list(15, { any: list(16, below) }) })).toEqual([]);
    expect(paths(issuesOfRule({ all: list(257, below) }))).toEqual(['/rule/all']);
  });

  it('takes no more than 64 KiB', () => {
    const of = (length: number) => ({ exists: { value: 'x'.repeat(length) } });
    const rule = { any: [of(16_000), of(16_000), of(16_000), of(16_000), of(1)] };
    const spare = 64 * 1024 - JSON.stringify(rule).length;
    const full = { any: [...rule.any.slice(0, 4), of(1 + spare)] };
    expect(issuesOfRule(full)).toEqual([]);
    expect(issuesOfRule({ any: [...rule.any.slice(0, 4), of(2 + spare)] })).toEqual([
      { path: '/rule', message: 'must take at most 64 KiB as JSON' },
    ]);
  });

  it('is not troubled by hostile sizes', () => {
    let deep: unknown = below;
    for (let depth = 0; depth < 100_000; depth += 1) deep = { not: deep };
    expect(issuesOfRule(deep)).toHaveLength(1);
    const broad = { all: list(256, { all: list(256, { all: list(256, 7) }) }) };
    expect(issuesOfRule(broad).length).toBeLessThanOrEqual(32);
  });

  it('tells where in a definition', () => {
    const definition = withoutOthers(object({ condition: ConditionShape }));
    const found = read(definition, { condition: { ...condition, rule: 7 } });
    expect(found).toMatchObject({ ok: false, refusal: { issues: [{ path: '/condition/rule' }] } });
    expect(read(ConditionShape, { ...condition, rule: 7 }, '/condition')).toEqual(found);
  });
});

describe('unboundNames', () => {
  it('are those that no binding has', () => {
    const names = ['price', 'b', 'constructor', 'b', 'a'].map((binding) => ({ exists: { binding, field: '' } }));
    const parsed = read(ConditionShape, { ...condition, rule: { all: [below, { not: { any: names } }] } });
    expect(parsed.ok && unboundNames(parsed.value)).toEqual(['b', 'constructor', 'a']);
  });
});
