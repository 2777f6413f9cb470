import type { JsonValue } from '@app/kernel';
import fc from 'fast-check';
import { parseOutput } from '@app/runs';
import { sampleOf } from './schema-sample';

const integer = { type: 'integer' };

describe('a sample', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['nothing asked', {}, null],
    ['a constant', { const: { a: [1] } }, { a: [1] }],
    ['the first of an enumeration', { enum: ['b', 'a'] }, 'b'],
    ['the first of an enumeration that fits the rest', { enum: [1, 'long', 'b'], type: 'string', maxLength: 1 }, 'b'],
    ['null', { type: 'null' }, null],
    ['a boolean', { type: 'boolean' }, false],
    ['zero', integer, 0],
    ['the least number', { type: 'number', minimum: 2.5 }, 2.5],
    ['the greatest number', { type: 'number', maximum: -5 }, -5],
    ['the least integer', { type: 'integer', minimum: 2.5 }, 3],
    ['the greatest integer', { type: 'integer', maximum: -2.5 }, -3],
    ['a number between integers', { type: 'number', minimum: 0.2, maximum: 0.4 }, 0.2],
    ['a short text', { type: 'string' }, ''],
    ['a text as long as it must be', { type: 'string', minLength: 3 }, 'aaa'],
    ['an empty list', { type: 'array', items: false }, []],
    ['a list as long as it must be', { type: 'array', minItems: 2, items: integer }, [0, 0]],
    ['one of several types', { type: ['string', 'null'] }, null],
    ['an object with all its members', { properties: { a: integer, b: { type: 'string' } } }, { a: 0, b: '' }],
    ['an object without what cannot be', { type: 'object', properties: { a: false, b: integer } }, { b: 0 }],
    ['a member that is only required', { required: ['toString'] }, { toString: null }],
    ['a member that is additional', { required: ['x'], additionalProperties: { type: 'string' } }, { x: '' }],
    ['the first alternative', { anyOf: [{ const: 1 }, { const: 2 }] }, 1],
    ['the first alternative that can be', { anyOf: [{ type: 'string', minLength: 2, maxLength: 1 }, integer] }, 0],
    ['an alternative that fits the rest', { type: 'string', anyOf: [integer, { minLength: 2 }] }, 'aa'],
    [
      'alternatives within alternatives',
      { anyOf: [{ anyOf: [false, { type: 'number', maximum: -1 }] }], minimum: -1 },
      -1,
    ],
  ])('is %s', (_, schema, sample) => expect(sampleOf(schema)).toEqual(sample));

  it.each<[string, JsonValue]>([
    ['too little room for a number', { type: 'number', minimum: 2, maximum: 1 }],
    ['no integer in between', { type: 'integer', minimum: 0.2, maximum: 0.8 }],
    ['a constant of another type', { const: 1, type: 'string' }],
    ['a required member that is ruled out', { type: 'object', required: ['a'], properties: { a: false } }],
    ['a list of nothing', { type: 'array', minItems: 1, items: false }],
    ['no alternative', { anyOf: [{ type: 'integer', minimum: 2, maximum: 1 }] }],
    ['a text beyond any bound', { type: 'string', minLength: 1e12 }],
  ])('is not to be had where there is %s', (_, schema) => expect(sampleOf(schema)).toBeUndefined());

  it('stays within bounds, whatever a schema asks for', () => {
    let lists: JsonValue = integer;
    for (let depth = 0; depth < 20; depth += 1) lists = { type: 'array', minItems: 1000, items: lists };
    expect(sampleOf(lists)).toBeUndefined();
    let choices: JsonValue = { type: 'integer', minimum: 2, maximum: 1 };
    for (let depth = 0; depth < 12; depth += 1) choices = { anyOf: [choices, choices, choices] };
    expect(sampleOf(choices)).toBeUndefined();
  });

  it('satisfies its schema wherever it is one', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        const sample = sampleOf(schema);
        if (sample !== undefined)
          expect(parseOutput(JSON.stringify(sample), schema)).toEqual({ valid: true, value: sample });
      }),
      { numRuns: 300 },
    );
  });

  it('is found for a schema made around a value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), (value) => {
        // No body can contain these, because strict JSON refuses them.
        fc.pre(!/"__proto__"|\\u0000|\\ud[89a-f]/.test(JSON.stringify(value)));
        const schema = schemaAround(value as JsonValue); // reason for the assertion: the library's own JSON type
        expect(parseOutput(JSON.stringify(sampleOf(schema)), schema).valid).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const count = fc.nat({ max: 4 });
const { schema: schemas } = fc.letrec<{ schema: Exclude<JsonValue, string | number | boolean | null> }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record(
      {
        type: fc.constantFrom('integer', 'number', 'string', 'null', 'boolean'),
        minimum: count,
        maximum: count,
        maxLength: count,
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        enum: fc.array(fc.constantFrom(0, 'a', null, true), { minLength: 1 }),
        type: fc.constantFrom('string', 'number'),
      },
      { requiredKeys: ['enum'] },
    ),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), minItems: count, maxItems: count },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
}));

/** A schema that the value satisfies and that describes its shape. */
function schemaAround(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const items = value.length === 0 ? {} : { anyOf: value.map(schemaAround) };
    return { type: 'array', minItems: value.length, ...(value.length === 0 ? {} : { items }) };
  }
  if (typeof value === 'object' && value !== null) {
    const properties = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, schemaAround(member)])); // reason: a JSON member
    return { type: 'object', properties, required: Object.keys(value), additionalProperties: false };
  }
  if (typeof value === 'number') return { type: 'number', minimum: value };
  return { const: value };
}
