import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Returns a request as its schema describes it: without the members whose null means that they are absent
 * (docs/decisions/conventions.md, "Bodies"). The schema does not express this, which keeps the types of generated
 * clients as they are.
 * @param schema together with the named schemas, as `standalone` makes it
 */
export function withoutAbsent(value: JsonValue, schema: JsonObject): JsonValue {
  return read(value, schema, objectAt(objectAt(schema, 'components'), 'schemas'));
}

function read(value: JsonValue, described: JsonValue | undefined, named: JsonObject): JsonValue {
  // A schema that the caller supplies is data.
  if (isJsonObject(described) && described['$ref'] === '#/components/schemas/OutputSchema') return value;
  const schema = shapeOf(value, described, named);
  if (Array.isArray(value)) return value.map((item: JsonValue) => read(item, schema['items'], named));
  if (!isJsonObject(value)) return value;
  const properties = objectAt(schema, 'properties');
  const required = schema['required'];
  const isAbsent = (name: string): boolean => {
    if (value[name] !== null || !Object.hasOwn(properties, name)) return false;
    return !(Array.isArray(required) && required.includes(name)) && !takesNull(properties[name], value);
  };
  const members = Object.entries(value).filter(([name]) => !isAbsent(name));
  return Object.fromEntries(members.map(([name, member]) => [name, read(member, ownOf(properties, name), named)]));
}

/**
 * Returns the object schema that applies to a value: through references, alternatives to null, and the variant of a
 * union whose constants match.
 */
function shapeOf(value: JsonValue, described: JsonValue | undefined, named: JsonObject): JsonObject {
  if (!isJsonObject(described)) return {};
  const { $ref, anyOf, oneOf } = described;
  if (typeof $ref === 'string') return shapeOf(value, named[$ref.split('/').at(-1) ?? ''], named);
  const variants = listOf(oneOf).map((variant) => shapeOf(value, variant, named));
  const chosen = variants.find(({ properties }) => isJsonObject(value) && agrees(value, properties));
  const [only] = listOf(anyOf).filter((option) => !(isJsonObject(option) && option['type'] === 'null'));
  return chosen ?? (only === undefined ? described : shapeOf(value, only, named));
}

function agrees(value: JsonObject, properties: JsonValue | undefined): boolean {
  const constants = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, member]) =>
    isJsonObject(member) && 'const' in member ? [[name, member['const']] as const] : [],
  );
  return constants.every(([name, constant]) => value[name] === constant);
}

/**
 * Whether a schema accepts null. One without constraints does, unless another member of the object is set: then null
 * means that this one was not chosen.
 */
function takesNull(schema: JsonValue | undefined, beside: JsonObject): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, anyOf, $ref } = schema;
  const isAny = type === undefined && anyOf === undefined && $ref === undefined;
  if (isAny) return Object.values(beside).every((other) => other === null);
  return listOf(type).includes('null') || listOf(anyOf).some((option) => takesNull(option, beside));
}

function ownOf(members: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Reason for the assertion: a list of JSON holds JSON.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
