import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Merges the shapes of a union into one object: a member that some of them lack is optional, and a constant that distinguishes them becomes
 * an enum of all.
 * @throws Error for members of one name that cannot be merged
 */
export function mergeShapes(shapes: readonly JsonObject[]): JsonObject {
  return shapes.reduce(mergeTwo);
}

/** The union with shapes joined that differ only in one constant: it allows neither more nor less. */
export function joinShapes(union: JsonObject): JsonObject {
  const { anyOf, ...others } = union;
  if (!Array.isArray(anyOf)) return union;
  const joined: JsonObject[] = [];
  // Reason for the assertion: shapes are objects.
  for (const shape of anyOf as readonly JsonObject[]) {
    const index = joined.findIndex((known) => areJoined(known, shape));
    const known = joined[index];
    if (known === undefined) joined.push(shape);
    else joined[index] = { ...known, properties: mergeTwo(known, shape)['properties'] ?? {} };
  }
  return { ...others, anyOf: joined };
}

function areJoined(one: JsonObject, other: JsonObject): boolean {
  const { properties: ours, ...ourRest } = one;
  const { properties: theirs, ...theirRest } = other;
  if (!isJsonObject(ours) || !isJsonObject(theirs) || !isSame(ourRest, theirRest)) return false;
  const differing = Object.keys(ours).filter((name) => !isSame(ours[name], theirs[name]));
  return (
    isSame(Object.keys(ours), Object.keys(theirs)) &&
    differing.length === 1 &&
    differing.every((name) => isListed(ours[name]) && isListed(theirs[name]))
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isListed(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && ('const' in schema || 'enum' in schema);
}

function mergeTwo(one: JsonObject, other: JsonObject): JsonObject {
  const [ours, theirs] = [propertiesOf(one), propertiesOf(other)];
  const properties = { ...ours };
  for (const [name, schema] of Object.entries(theirs)) properties[name] = mergeMembers(ours[name] ?? schema, schema);
  const required = listIn(one, 'required').filter((name) => listIn(other, 'required').includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

function mergeMembers(one: JsonValue, other: JsonValue): JsonValue {
  if (isSame(one, other)) return one;
  if (!isJsonObject(one) || !isJsonObject(other)) throw new Error('a member that is no schema is merged with another');
  if ('properties' in one && 'properties' in other) return mergeTwo(one, other);
  const values = [...valuesOf(one), ...valuesOf(other)];
  return { enum: values.filter((value, index) => values.indexOf(value) === index) };
}

function propertiesOf({ properties }: JsonObject): Record<string, JsonValue> {
  return isJsonObject(properties) ? { ...properties } : {};
}

function valuesOf(schema: JsonObject): readonly JsonValue[] {
  const { const: constant } = schema;
  const values = constant === undefined ? listIn(schema, 'enum') : [constant];
  if (values.length === 0) throw new Error(`cannot be merged: ${JSON.stringify(schema)}`);
  return values;
}

function listIn(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const list = schema[keyword];
  // Reason for the assertion: `Array.isArray` does not narrow readonly lists.
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
}
