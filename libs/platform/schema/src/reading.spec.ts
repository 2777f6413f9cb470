import type { Issue } from '@app/kernel';
import type { TSchema } from '@sinclair/typebox';
import { custom, isText, refine } from './checks';
import { list, nullable, object, withoutOthers } from './objects';
import { read } from './reading';
import { boolean, constant, givenInstant, instant, integer, json, number, oneOf, optional, text, uuid } from './schema';
import { choice, recursive, variants } from './unions';

const closed = (members: Parameters<typeof object>[0]) => withoutOthers(object(members));
const Circle = closed({ kind: constant('circle'), radius: integer({ min: 1, max: 9 }) });
const Label = closed({ kind: constant('label'), words: list(text({ min: 1, max: 5 }), { min: 1, max: 2 }) });
const Figure = variants([Circle, Label], { by: 'kind' });
type Tree = { readonly leaf: string } | { readonly nodes: readonly Tree[] };
const Tree = recursive<Tree>('Tree', { depthMax: 3, nodesMax: 5 }, (inner) =>
  choice('Tree', [{ leaf: text() }, { nodes: list(inner, { min: 1, max: 9 }) }], { message: 'must be leaf or nodes' }),
);
const Value = choice('Value', [{ from: text(), at: text() }, { is: json() }]);

function issuesOf(schema: TSchema, value: unknown): readonly Issue[] {
  const found = read(schema, value);
  return !found.ok && found.refusal.kind === 'invalid_input' ? found.refusal.issues : [];
}
const told = (schema: TSchema, value: unknown) =>
  Object.fromEntries(issuesOf(schema, value).map(({ path, message }) => [path, message]));
const kept = (schema: TSchema, value: unknown) => {
  const found = read(schema, value);
  return found.ok ? found.value : found.refusal;
};
const id = '0189d0a4-0000-7000-8000-00000000000a';

describe('a value that is read', () => {
  it('is kept as it is meant: ids in lower case, instants in UTC, null of an optional member as absence', () => {
    const Whole = closed({
      id: uuid(),
      at: optional(givenInstant()),
      note: optional(text()),
      none: optional(nullable(text())),
      any: json(),
      figures: list(Figure),
    });
    const figures = [{ kind: 'circle', radius: 9 }];
    const given = { id: id.toUpperCase(), at: '2026-01-01T01:00:00+01:00', note: null, none: null, any: null, figures };
    const { note: _, ...rest } = given;
    expect(kept(Whole, given)).toEqual({ ...rest, id, at: '2026-01-01T00:00:00.000Z' });
  });

  it('is any number of a range, whole or not', () => {
    const Heat = closed({ heat: number({ min: 0, max: 2 }) });
    for (const heat of [0, 0.7, 2]) expect(kept(Heat, { heat })).toEqual({ heat });
    for (const heat of [-0.1, 2.1, '1', true, null])
      expect(told(Heat, { heat })).toEqual({ '/heat': 'must be a number from 0 to 2' });
  });

  it('is refused with every issue at its pointer', () => {
    expect(
      told(closed({ a: Figure, 'b/c': Figure, d: boolean(), e: Figure }), {
        a: { kind: 'label', words: ['', 'x', 7], more: 1 },
        'b/c': { kind: 'square' },
        d: null,
        f: 1,
      }),
    ).toEqual({
      '/f': 'is not known',
      '/e': 'is required',
      '/a/more': 'is not known',
      '/a/words': 'must be a list of 1 to 2 items',
      '/a/words/0': 'must be a text of 1 to 5 characters',
      '/a/words/2': 'must be a text of 1 to 5 characters',
      '/b~1c/kind': 'must be circle or label',
      '/d': 'must be true or false',
    });
    expect(told(Figure, {})).toEqual({ '/kind': 'is required' });
    for (const value of [null, [], 'x', 1, undefined]) expect(told(Figure, value)).toEqual({ '': 'must be an object' });
    expect(told(oneOf(['a', 'b']), 'c')).toEqual({ '': 'must be one of a, b' });
  });

  it('has nothing of a prototype', () => {
    expect(told(Circle, Object.create({ kind: 'circle', radius: 1 }))).toEqual({
      '/kind': 'is required',
      '/radius': 'is required',
    });
    expect(told(closed({}), JSON.parse('{"__proto__": {}, "constructor": 1}'))).toEqual({
      '/__proto__': 'is not known',
      '/constructor': 'is not known',
    });
  });

  it('is told of with at most 32 issues, and no long name', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 1]));
    expect(issuesOf(closed({}), many)).toHaveLength(32);
    expect(told(closed({}), { ['x'.repeat(257)]: 1 })).toEqual({ '': 'has an unknown member with an overlong name' });
  });

  it('is a text without U+0000 and lone surrogates where it has a greatest length', () => {
    expect(issuesOf(text(), 'a\0\ud800')).toEqual([]);
    for (const value of ['a\0', '\ud800', '😀😀😀'])
      expect(told(text({ max: 2 }), value)).toEqual({ '': 'must be a text of 0 to 2 characters' });
    expect(kept(text({ max: 2 }), '😀😀')).toBe('😀😀');
    expect(told(text({ pattern: /^a$/, message: 'must be a' }), ['a'])).toEqual({ '': 'must be a' });
  });

  it('is no answer', () => expect(() => read(instant(), id)).toThrow('cannot be read'));
});

describe('a choice', () => {
  it('has the members of one set; null is no member of the others', () => {
    expect(kept(Value, { from: 'a', at: 'b', is: null })).toEqual({ from: 'a', at: 'b' });
    expect(kept(Value, { is: null, from: null, at: null })).toEqual({ is: null });
    expect(kept(Tree, { leaf: 'a', nodes: null })).toEqual({ leaf: 'a' });
  });

  it('is refused where it has no set, or two', () => {
    expect(Object.keys(told(Value, {}))).toEqual(['/from', '/at']);
    expect(told(Value, { is: 1, from: 'a' })).toEqual({ '/from': 'is not known' });
    for (const value of [{}, { leaf: null }, { leaf: 'a', nodes: [] }, { other: 1 }])
      expect(told(Tree, value)).toEqual({ '': 'must be leaf or nodes' });
    expect(told(Tree, { leaf: 'a', other: null })).toEqual({ '/other': 'is not known' });
  });
});

it('a recursion has bounds, which hold whatever is given', () => {
  const nest = (depth: number): unknown => (depth === 1 ? { leaf: 'a' } : { nodes: [nest(depth - 1)] });
  expect(kept(Tree, nest(3))).toEqual(nest(3));
  expect(told(Tree, nest(4))).toEqual({ '/nodes/0/nodes/0/nodes/0': 'must be at most 3 deep' });
  expect(told(Tree, { nodes: Array(5).fill({ leaf: 'a' }) })).toEqual({ '': 'must have at most 5 nodes' });
  expect(issuesOf(list(Tree), [nest(3), nest(3)])).toEqual([]);
});

describe('a check of meaning', () => {
  const Span = refine(closed({ from: integer(), to: integer() }), ({ from, to }) =>
    Number(from) < Number(to) ? [] : [{ path: '/to', message: 'must be after from' }],
  );

  it('is made of what has the form', () => {
    expect(kept(list(Span), [{ from: 1, to: 2 }])).toEqual([{ from: 1, to: 2 }]);
    expect(told(list(Span), [{ from: 2, to: 1 }])).toEqual({ '/0/to': 'must be after from' });
    expect(told(Span, { from: 2 })).toEqual({ '/to': 'is required' });
  });

  it('may be all that is asked', () => {
    const form = custom(text({ max: 1 }), isText, 'must be a text');
    expect(kept(form, 'whatever')).toBe('whatever');
    expect(told(form, 1)).toEqual({ '': 'must be a text' });
  });
});

it('a text that must be visible has a drawn character, and every language can read its published pattern', () => {
  const reason = text({ min: 1, max: 9, visible: true });
  expect(reason).toMatchObject({ minLength: 1, maxLength: 9, pattern: '\\S' });
  expect(kept(reason, '\u200bnow')).toBe('\u200bnow');
  const message = 'must be a text of 1 to 9 characters, not only invisible ones';
  for (const blank of ['', ' ', '\u200b', '\u2800\ufeff', '\u3164'])
    expect(told(reason, blank)).toEqual({ '': message });
});
