import { isJsonObject, limits } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020';

/** The keywords of JSON Schema 2020-12 that an `outputSchema` may use (decisions.md, section 3), as a schema of such schemas. */
const schemaOfSchemas = {
  $id: 'urn:parley:output-schema',
  type: 'object',
  additionalProperties: false,
  properties: {
    type: {
      anyOf: [
        { $ref: '#/$defs/type' },
        { type: 'array', items: { $ref: '#/$defs/type' }, minItems: 1, uniqueItems: true },
      ],
    },
    properties: { type: 'object', additionalProperties: { $ref: '#' } },
    required: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    additionalProperties: { anyOf: [{ type: 'boolean' }, { $ref: '#' }] },
    items: { anyOf: [{ type: 'boolean' }, { $ref: '#' }] },
    enum: { type: 'array', minItems: 1 },
    const: {},
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: { $ref: '#/$defs/count' },
    maxLength: { $ref: '#/$defs/count' },
    minItems: { $ref: '#/$defs/count' },
    maxItems: { $ref: '#/$defs/count' },
    anyOf: { type: 'array', items: { $ref: '#' }, minItems: 1 },
    description: { type: 'string' },
  },
  $defs: {
    type: { enum: ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] },
    count: { type: 'integer', minimum: 0 },
  },
};

const isOutputSchemaShape = new Ajv2020({ strict: false }).compile(schemaOfSchemas);

/** Whether a value is an `outputSchema` of the supported subset, at most 16 KiB as serialized. */
export function isOutputSchema(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= limits.outputSchemaBytesMax && isOutputSchemaShape(value);
}
