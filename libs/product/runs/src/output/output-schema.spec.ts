import { isOutputSchema } from './output-schema';

const all = {
  type: ['object', 'null'],
  properties: { a: { type: 'string', minLength: 0, maxLength: 2 }, constructor: { const: null } },
  required: ['a'],
  additionalProperties: { type: 'number', minimum: -1.5, maximum: 2 },
  items: { enum: [1, 'two', null, { three: 3 }] },
  minItems: 0,
  maxItems: 3,
  anyOf: [{}, { additionalProperties: false, items: true }],
  description: 'What is wanted',
};

describe('an output schema', () => {
  it('may use every keyword of the subset', () => expect(isOutputSchema(all)).toBe(true));

  it.each<[string, unknown]>([
    ['a boolean', true],
    ['a list', []],
    ['null', null],
    ['a text', '{}'],
    ['a keyword beyond the subset', { type: 'string', pattern: '^a' }],
    ['a reference', { $ref: '#' }],
    ['a dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['a keyword beyond the subset, deep inside', { properties: { a: { items: { format: 'date' } } } }],
    ['an unknown type', { type: 'date' }],
    ['the same type twice', { type: ['string', 'string'] }],
    ['no type', { type: [] }],
    ['a member’s schema that is none', { properties: { a: 5 } }],
    ['required names that are no texts', { required: [1] }],
    ['the same required name twice', { required: ['a', 'a'] }],
    ['an empty enumeration', { enum: [] }],
    ['no alternatives', { anyOf: [] }],
    ['a length below 0', { minLength: -1 }],
    ['a length that is not whole', { maxItems: 1.5 }],
    ['a bound that is no number', { minimum: '1' }],
    ['a description that is no text', { description: 1 }],
  ])('is not %s', (_, value) => expect(isOutputSchema(value)).toBe(false));

  it('has at most 16 KiB of UTF-8 as serialized', () => {
    const empty = Buffer.byteLength(JSON.stringify({ description: '' }));
    expect(isOutputSchema({ description: 'x'.repeat(16_384 - empty) })).toBe(true);
    expect(isOutputSchema({ description: 'x'.repeat(16_385 - empty) })).toBe(false);
    expect(isOutputSchema({ description: 'é'.repeat(8_192) })).toBe(false);
  });
});
