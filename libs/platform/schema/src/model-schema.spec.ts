import { inBrief, mergedInBrief } from './briefs';
import { modelSchema } from './model-schema';
import { list, nullable, object, withoutOthers } from './objects';
import { constant, givenInstant, integer, oneOf, optional, text } from './schema';
import { choice, recursive, variants } from './unions';

const closed = (members: Parameters<typeof object>[0], words = {}) => withoutOthers(object(members, words));
const toldOf = (members: Parameters<typeof object>[0]) => modelSchema(closed(members))['properties'];
type Tree = { readonly leaf: string } | { readonly nodes: readonly Tree[] };

describe('what models are told of a schema', () => {
  it('is its form, with their own descriptions and none of what documents need besides', () => {
    const count = integer({ min: 1, max: 9, description: 'For documents', examples: [3] });
    const note = text({ max: 5, description: 'For documents', brief: 'For models' });
    expect(modelSchema(closed({ count, note: optional(note), at: optional(givenInstant()) }))).toEqual({
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 9 },
        note: { type: 'string', maxLength: 5, description: 'For models' },
        at: { type: 'string', description: 'UTC, such as 2027-01-31T09:00:00.000Z' },
      },
      required: ['count'],
      additionalProperties: false,
    });
  });

  it('is another schema where that is shorter', () => {
    const exact = text({ pattern: /^(?:[1-9][0-9]{0,3}|10000)$/ });
    expect(toldOf({ bps: inBrief(exact, text({ brief: '1 to 10000' })) })).toEqual({
      bps: { type: 'string', description: '1 to 10000' },
    });
  });

  it('says once what comes again, and what recurs', () => {
    const long = text({ min: 1, max: 4096, brief: 'As long as this, so that it is said only once' });
    const tree = recursive<Tree>('Tree', { depthMax: 3, nodesMax: 5 }, (inner) =>
      choice('Tree', [{ leaf: text() }, { nodes: list(inner, { min: 1 }) }]),
    );
    const short = { type: 'string' };
    const first = { $ref: '#/$defs/first' };
    expect(modelSchema(closed({ first: long, second: long, third: text(), fourth: text(), tree }))).toMatchObject({
      properties: { first, second: first, third: short, fourth: short, tree: { $ref: '#/$defs/Tree' } },
      $defs: {
        first: { type: 'string', minLength: 1, maxLength: 4096 },
        Tree: { properties: { leaf: short, nodes: { items: { $ref: '#/$defs/Tree' } } }, minProperties: 1 },
      },
    });
  });

  it('tells apart parts that stand under one name', () => {
    const one = text({ min: 1, max: 4096, brief: 'One thing that is said at some length' });
    const other = text({ min: 1, max: 4096, brief: 'Another one that is said at some length' });
    const told = modelSchema(
      closed({ a: closed({ x: one }), b: closed({ x: one, y: other }), c: closed({ x: other }) }),
    );
    expect(told).toMatchObject({
      properties: {
        a: { properties: { x: { $ref: '#/$defs/x' } } },
        b: { properties: { x: { $ref: '#/$defs/x' }, y: { $ref: '#/$defs/y' } } },
        c: { properties: { x: { $ref: '#/$defs/y' } } },
      },
      $defs: { x: { description: 'One thing that is said at some length' }, y: { minLength: 1 } },
    });
  });

  it('joins the shapes of a union that a constant alone tells apart, and no others', () => {
    const shapeOf = (kind: string, members = {}) => closed({ kind: constant(kind), ...members });
    const union = variants([shapeOf('a', { size: integer() }), shapeOf('b', { size: integer() }), shapeOf('c')]);
    expect(toldOf({ union })).toEqual({
      union: {
        anyOf: [
          expect.objectContaining({ properties: { kind: { enum: ['a', 'b'] }, size: { type: 'integer' } } }),
          expect.objectContaining({ properties: { kind: { const: 'c' } } }),
        ],
      },
    });
    const twoConstants = variants([
      closed({ kind: constant('a'), also: constant(true) }),
      closed({ kind: constant('b'), also: constant(false) }),
    ]);
    expect(toldOf({ twoConstants })).toMatchObject({ twoConstants: { anyOf: [{}, {}] } });
    expect(toldOf({ none: nullable(shapeOf('c')) })).toMatchObject({ none: { type: ['object', 'null'] } });
  });

  it('is one object of a union that is merged: what some shapes lack may be absent', () => {
    const inner = (kind: string) => mergedInBrief(variants([closed({ kind: constant(kind) })], { by: 'kind' }));
    const union = variants(
      [
        closed({ kind: constant('swap'), way: oneOf(['in', 'out']), amount: inner('all'), to: text() }),
        closed({ kind: constant('draw'), way: oneOf(['out']), amount: inner('half') }),
      ],
      { by: 'kind', brief: 'Only a swap has to' },
    );
    expect(toldOf({ union: mergedInBrief(union) })).toEqual({
      union: {
        type: 'object',
        properties: {
          kind: { enum: ['swap', 'draw'] },
          way: { enum: ['in', 'out'] },
          amount: expect.objectContaining({
            properties: { kind: { enum: ['all', 'half'] } },
            required: ['kind'],
          }) as object,
          to: { type: 'string' },
        },
        required: ['kind', 'way', 'amount'],
        additionalProperties: false,
        description: 'Only a swap has to',
      },
    });
    const split = variants([closed({ kind: constant('a'), x: text() }), closed({ kind: constant('b'), x: integer() })]);
    expect(() => toldOf({ split: mergedInBrief(split) })).toThrow('cannot be merged');
  });
});
