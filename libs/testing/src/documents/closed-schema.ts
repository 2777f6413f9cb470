import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Returns a published schema in the strict form that tests use: objects are open for partners, because members may be
 * added within `/v1`, but every member that the service sends today must be documented. Parts of an `allOf` stay open,
 * because each sees the others' members.
 * @param from the beginning of every `$ref`, which is replaced by `to`
 */
export function closed(schema: JsonObject, from = '', to = from): JsonObject {
  const whole = closedValue(schema, false, (ref) => (ref.startsWith(from) ? to + ref.slice(from.length) : ref));
  if (!isJsonObject(whole)) throw new Error('a schema is an object');
  return whole;
}

function closedValue(value: JsonValue, isPart: boolean, refer: (ref: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => closedValue(item, isPart, refer));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    if (key === '$ref' && typeof inner === 'string') return [key, refer(inner)];
    // Examples and values are not schemas.
    if (key === 'example' || key === 'examples' || key === 'enum' || key === 'const') return [key, inner];
    return [key, closedValue(inner, key === 'allOf', refer)];
  });
  const { type, properties, additionalProperties } = value;
  const closes = type === 'object' && isJsonObject(properties) && Object.keys(properties).length > 0;
  const isOpen = closes && !isPart && additionalProperties === undefined;
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}
