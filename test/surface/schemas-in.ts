import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

interface FoundSchema {
  readonly at: string;
  readonly schema: JsonObject;
}

const samples = new Set(['example', 'examples', 'default', 'enum', 'const', 'x-reasons', 'description']);
const isSchema = (value: JsonObject) =>
  ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'properties'].some((word) => word in value);

/** Every schema of a document with its place. Schemas under `not` are conditions on values, not types, and are left out. */
export function schemasIn(value: JsonValue, at = ''): FoundSchema[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => schemasIn(item, `${at}/${index}`));
  if (!isJsonObject(value)) return [];
  const inner = Object.entries(value).flatMap(([key, part]) => {
    if (samples.has(key) || key === 'not' || key === 'securitySchemes') return [];
    if (key !== 'properties' || !isJsonObject(part)) return schemasIn(part, `${at}/${key}`);
    return Object.entries(part).flatMap(([name, member]) => schemasIn(member, `${at}/properties/${name}`));
  });
  return isSchema(value) && !('bindingVersion' in value) ? [{ at, schema: value }, ...inner] : inner;
}

export const listAt = (schema: JsonObject, key: string): readonly JsonValue[] => {
  const value = schema[key];
  return Array.isArray(value) ? value : [];
};
export const objectAt = (value: JsonValue | undefined, key: string): JsonObject => {
  const inner = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(inner) ? inner : {};
};
export const isNull = (schema: JsonValue) => isJsonObject(schema) && schema['type'] === 'null';
export const isReference = (schema: JsonValue) => isJsonObject(schema) && typeof schema['$ref'] === 'string';

/** Names of the schemas that are referred to, directly or through others. */
export function namesFrom(value: JsonValue, schemas: JsonObject, found = new Set<string>()): Set<string> {
  for (const [, one = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(one)) continue;
    found.add(one);
    if (schemas[one] !== undefined) namesFrom(schemas[one], schemas, found);
  }
  return found;
}

/** Names, in lower case, that languages or their standard libraries use. */
export const takenNames = new Set(
  [
    'Task',
    'AdditionalProperties',
    'Object',
    'String',
    'Boolean',
    'Number',
    'Integer',
    'Float',
    'Double',
    'Decimal',
    'List',
    'Map',
    'Set',
    'Array',
    'Dictionary',
    'Record',
    'Optional',
    'Option',
    'Any',
    'Unit',
    'Nothing',
    'Void',
    'None',
    'Null',
    'Error',
    'Exception',
    'Throwable',
    'Result',
    'Promise',
    'Future',
    'Thread',
    'Process',
    'System',
    'Date',
    'DateTime',
    'Time',
    'Instant',
    'Duration',
    'Uuid',
    'Guid',
    'Type',
    'Class',
    'Enum',
    'Struct',
    'Interface',
    'Function',
    'Action',
    'Func',
    'Delegate',
    'Event',
    'Request',
    'Response',
    'Headers',
    'File',
    'Path',
    'Stream',
    'Buffer',
    'Symbol',
    'Proxy',
    'Iterator',
    'Generator',
    'Module',
    'Package',
    'Import',
    'Namespace',
    'Default',
  ].map((name) => name.toLowerCase()),
);
