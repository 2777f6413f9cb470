import { isJsonPointer, valueAt } from './json-pointers';

/** The document of RFC 6901, section 5, with a list in it. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
  nothing: null,
  deep: [{ on: [[false]] }],
};

describe('valueAt', () => {
  it.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/nothing', null],
    ['/deep/0/on/0/0', false],
  ])('%j is there', (pointer, value) => {
    expect(isJsonPointer(pointer)).toBe(true);
    expect(valueAt(document, pointer)).toEqual(value);
  });

  it.each([
    '/bar',
    '/foo/2',
    '/foo/-',
    '/foo/00',
    '/foo/01',
    '/foo/1e0',
    '/foo/ 1',
    '/foo/length',
    '/foo/0/0',
    '/foo/',
    '/constructor',
    '/__proto__',
    '/toString',
    '/foo/0/length',
    '/nothing/0',
    '//0',
    '/m~01n',
    '/foo/4294967296',
  ])('%j is not', (pointer) => {
    expect(isJsonPointer(pointer)).toBe(true);
    expect(valueAt(document, pointer)).toBeUndefined();
  });

  it('decodes ~1 before ~0', () => expect(valueAt({ '~1': 1, '/': 2 }, '/~01')).toBe(1));

  it('takes members that are called like inherited ones', () => {
    expect(valueAt({ constructor: 1 }, '/constructor')).toBe(1);
    expect(valueAt(JSON.parse('{"__proto__": 2}'), '/__proto__')).toBe(2);
  });
});

it.each(['a', 'a/b', '/a~', '/~2', '/~', '#/a', ' /a', '/a~/b'])('%j is no pointer', (text) =>
  expect(isJsonPointer(text)).toBe(false),
);
