import { jsonDifferences } from './json-difference';

it('is nothing where two values are the same, however they are built', () => {
  for (const value of [null, 1, '', [], {}, { a: [1, { b: null }] }])
    expect(jsonDifferences(value, JSON.parse(JSON.stringify(value)))).toEqual([]);
  expect(jsonDifferences({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
});

it('is as deep as both values are alike', () => {
  const before = { a: { 'b/c': [1, 2, 3], d: true }, e: null };
  const after = { a: { 'b/c': [1, 4], d: true }, e: {}, f: [] };
  expect(jsonDifferences(before, after)).toEqual([
    { path: '/a/b~1c/1', before: 2, after: 4 },
    { path: '/a/b~1c/2', before: 3 },
    { path: '/e', before: null, after: {} },
    { path: '/f', after: [] },
  ]);
});

it('is the whole where the values are of two kinds', () => {
  expect(jsonDifferences(null, { a: 1 })).toEqual([{ path: '', before: null, after: { a: 1 } }]);
  expect(jsonDifferences([1], { 0: 1 })).toEqual([{ path: '', before: [1], after: { 0: 1 } }]);
});
