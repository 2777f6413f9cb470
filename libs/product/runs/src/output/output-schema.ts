import { standalone } from '@app/http';
import { isJsonObject, limits, type JsonObject, type JsonValue } from '@app/kernel';
import { byName, withName, type Schema } from '@app/schema';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';

const inner = byName<JsonValue>('OutputSchema');
const typeName = { type: 'string', enum: ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] };
const count = { type: 'integer', format: 'int64', minimum: 0 };
// Reason for the assertion: as below.
const subschema = withName('OutputSubschema', { anyOf: [{ type: 'boolean' }, inner] } as unknown as Schema<JsonValue>);

// Reason for the assertion: TypeBox cannot express a schema of schemas, so it is written as plain JSON.
const keywords = {
  type: 'object',
  description: 'JSON Schema 2020-12, of these keywords only, at most 16 KiB as serialized',
  additionalProperties: false,
  properties: {
    type: { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1, uniqueItems: true }] },
    properties: { type: 'object', additionalProperties: inner },
    required: { type: 'array', items: { type: 'string' }, uniqueItems: true },
    additionalProperties: subschema,
    items: subschema,
    enum: { type: 'array', items: {}, minItems: 1 },
    const: {},
    minimum: { type: 'number' },
    maximum: { type: 'number' },
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    anyOf: { type: 'array', items: inner, minItems: 1 },
    description: { type: 'string' },
  },
} as unknown as Schema<JsonValue>;

/** The keywords of JSON Schema 2020-12 that an `outputSchema` may use (docs/decisions/runs.md), as a schema of such schemas. */
export const OutputSchema = withName('OutputSchema', keywords);

// Compiled at the first use: it takes 30 ms, and most processes never need it.
let validate: ValidateFunction | undefined;

function hasShape(value: JsonObject): boolean {
  // Formats are hints for generators about the width of numbers; they do not validate JSON. The schema is ours, so it is not checked.
  validate ??= new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }).compile(
    standalone(OutputSchema),
  );
  return validate(value);
}

/** Whether a value is an `outputSchema` of the supported subset, at most 16 KiB as serialized. */
export function isOutputSchema(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= limits.outputSchemaBytesMax && hasShape(value);
}
