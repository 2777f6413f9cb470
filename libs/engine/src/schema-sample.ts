import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Deeper than this, a sample stops: no schema of 16 KiB needs more. */
const depthMax = 64;

/**
 * A small value that satisfies a schema of the supported subset (decisions.md, section 3) where the obvious choice does:
 * the constant, the first of an enumeration, else the least value of the type. The caller validates it.
 */
export function sampleOf(schema: JsonValue, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > depthMax) return null;
  if ('const' in schema) return schema['const'] ?? null;
  const choices = listOf(schema['enum']);
  if (choices.length > 0) return choices[0] ?? null;
  const [alternative] = listOf(schema['anyOf']);
  if (alternative !== undefined) return sampleOf(alternative, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return objectSample(schema, depth);
    case 'array':
      return Array.from({ length: Math.min(numberOf(schema['minItems']), 1_000) }, () =>
        sampleOf(schema['items'] ?? null, depth + 1),
      );
    case 'string':
      return 'a'.repeat(Math.min(numberOf(schema['minLength']), 16_384));
    case 'number':
      return Math.max(numberOf(schema['minimum']), Math.min(0, numberOf(schema['maximum'])));
    case 'integer':
      return Math.ceil(Math.max(numberOf(schema['minimum']), Math.min(0, numberOf(schema['maximum']))));
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function typeOf(schema: JsonObject): string {
  const [type] = typeof schema['type'] === 'string' ? [schema['type']] : listOf(schema['type']);
  if (typeof type === 'string') return type;
  return 'properties' in schema || 'required' in schema ? 'object' : 'null';
}

function objectSample(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const names = new Set([...Object.keys(properties), ...listOf(schema['required']).map(String)]);
  return Object.fromEntries([...names].map((name) => [name, sampleOf(properties[name] ?? null, depth + 1)]));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Reason for the assertion: `isArray` makes any[] of what can only be JSON.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
