import type { JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import { SchemaCheck } from './schema-check';

function faultIn(value: JsonValue, schema: JsonValue): string | null {
  const fault = new SchemaCheck(1_000_000).faultIn(value, schema);
  return fault && `${fault.path} ${fault.words}`;
}

describe('a value checked by a schema', () => {
  it.each<[JsonValue, JsonValue, string]>([
    ['1', { type: ['integer', 'null'] }, ' must be integer or null'],
    [{ n: 1.5 }, { properties: { n: { type: 'integer' } } }, '/n must be integer'],
    [{ 'a/b': 1 }, { additionalProperties: false }, '/a~1b must not be there'],
    [{}, { required: ['n'] }, " must have required property 'n'"],
    [[0, 9], { items: { maximum: 8 } }, '/1 must be at most 8'],
    ['🐦', { minLength: 2 }, ' must be at least 2 characters'],
    [[1], { minItems: 2 }, ' must be at least 2 items'],
    [2, { enum: [1, 3] }, ' must be an allowed value'],
    [{ a: [1, 2] }, { const: { a: [1] } }, ' must be an allowed value'],
    [true, { anyOf: [{ type: 'null' }, false] }, ' must fit one of the alternatives'],
  ])('is told what is wrong: %j by %j', (value, schema, fault) => expect(faultIn(value, schema)).toBe(fault));

  it('is only looked at for members of its own', () => {
    expect(faultIn({}, { required: ['toString'] })).toBe(" must have required property 'toString'");
    expect(faultIn({ toString: 1 }, { properties: {}, additionalProperties: false })).toBe(
      '/toString must not be there',
    );
  });

  it('takes the two zeros for one, and members in any order for the same', () => {
    expect(faultIn(-0, { const: 0 })).toBeNull();
    expect(faultIn({ a: 1, b: { c: 2, d: 3 } }, { enum: [{ b: { d: 3, c: 2 }, a: 1 }] })).toBeNull();
  });

  it('satisfies what the library says that it satisfies', () => {
    let satisfied = 0;
    const runs = process.env['FIGURES'] === 'full' ? 5_000 : 150;
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const byLibrary = new Ajv2020({ strict: false }).compile(schema as object)(value);
        if (byLibrary) satisfied += 1;
        expect(faultIn(value, schema) === null).toBe(byLibrary);
      }),
      { numRuns: runs },
    );
    expect(satisfied).toBeGreaterThan(runs / 20);
  });

  it('ends after so many steps, whatever is asked, and then satisfies nothing', () => {
    const choices = { anyOf: Array.from({ length: 1_500 }, () => ({ maxItems: 0 })) };
    const check = new SchemaCheck(10_000);
    const list: JsonValue = Array.from({ length: 50_000 }, () => []);
    expect(check.satisfies(list, { items: choices, minItems: 50_000 })).toBe(false);
    expect(check.satisfies(null, {})).toBe(false);
    expect(check.faultIn(null, {})).toEqual({ path: '', words: 'takes too long to check' });
  });
});

const scalars = fc.constantFrom<JsonValue[]>(null, true, false, 0, -0, 1, 1.5, 2, '', 'a', 'ab', '🐦');
const ofOurs = { maxKeys: 3, noNullPrototype: true };
const names = fc.constantFrom('a', 'b', 'c');
const { value: values } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), ofOurs),
  ),
}));

const count = fc.nat({ max: 3 });
const keywords = [
  'type' as const,
  'minimum' as const,
  'maximum' as const,
  'minLength' as const,
  'maxLength' as const,
  'minItems' as const,
  'maxItems' as const,
  'enum' as const,
  'const' as const,
  'required' as const,
  'properties' as const,
  'additionalProperties' as const,
  'items' as const,
  'anyOf' as const,
];
const types = ['null', 'boolean', 'object', 'array', 'integer', 'number', 'string'];
const { schema: schemas } = fc.letrec<{ schema: JsonValue; nested: JsonValue }>((tie) => ({
  nested: fc.oneof({ maxDepth: 2, depthSize: 'small' }, fc.constantFrom({}, { type: 'integer' }), tie('schema')),
  schema: fc
    .tuple(
      fc.record({
        type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
        minimum: count,
        maximum: count,
        minLength: count,
        maxLength: count,
        minItems: count,
        maxItems: count,
        enum: fc.array(values, { minLength: 1, maxLength: 4 }),
        const: values,
        required: fc.uniqueArray(names),
        properties: fc.dictionary(names, tie('nested'), ofOurs),
        additionalProperties: fc.oneof(fc.boolean(), tie('nested')),
        items: fc.oneof(fc.boolean(), tie('nested')),
        anyOf: fc.array(tie('nested'), { minLength: 1, maxLength: 2 }),
      }),
      fc.array(fc.constantFrom(...keywords), { maxLength: 3 }),
    )
    .map(([all, kept]) => Object.fromEntries(kept.map((keyword) => [keyword, all[keyword]]))),
}));
