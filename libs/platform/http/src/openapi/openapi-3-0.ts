import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Converts the contract to OpenAPI 3.0.3, for generators that support no other version. Pure: it handles only the features of 3.1 that our
 * own document uses. Features without an equivalent in 3.0 (a member that another one requires) are left out; the service still enforces
 * them.
 */
export function openApi30(document: JsonObject): JsonObject {
  const components = objectAt(document, 'components');
  const schemas = objectAt(components, 'schemas');
  const info = objectAt(document, 'info');
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...info, license: { name: objectAt(info, 'license')['name'] ?? '', url: licenseUrl } },
    paths: withoutNews(document['paths'] ?? {}, schemas),
    components: {
      ...eachOf(components, (parts) => withoutNews(parts, schemas)),
      schemas: eachOf(schemas, (schema) => schema30(schema, schemas)),
    },
  };
}

const licenseUrl = 'https://www.apache.org/licenses/LICENSE-2.0';
/** Keywords whose values are not schemas. */
const samples = new Set(['x-reasons']);

/** Everything but schemas is the same in both versions; examples that 3.0 cannot describe are left out. */
function withoutNews(value: JsonValue, schemas: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue) => withoutNews(one, schemas));
  if (!isJsonObject(value)) return value;
  const { example, ...rest } = value;
  const members = Object.entries(rest).map(([key, inner]): [string, JsonValue] => {
    if (samples.has(key)) return [key, inner];
    return [key, key === 'schema' ? schema30(inner, schemas) : withoutNews(inner, schemas)];
  });
  const isKept = example !== undefined && !hasNullForReference(value['schema'] ?? {}, example, schemas);
  return { ...Object.fromEntries(members), ...(isKept && { example }) };
}

function schema30(schema: JsonValue, schemas: JsonObject): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const { const: constant, examples, dependentRequired: _, type, anyOf, ...rest } = schema;
  const [example] = listOf(examples);
  const members = Object.entries(rest).map(([key, value]): [string, JsonValue] => [
    key,
    keyword30(key, value, schemas),
  ]);
  return inPlaceOfRef({
    ...withType(type),
    ...alternatives(anyOf, schemas),
    ...Object.fromEntries(members),
    ...(constant !== undefined && { enum: [constant] }),
    ...(example !== undefined && { example }),
  });
}

function keyword30(key: string, value: JsonValue, schemas: JsonObject): JsonValue {
  const convert = (schema: JsonValue) => schema30(schema, schemas);
  if (key === 'properties' && isJsonObject(value)) return eachOf(value, convert);
  if ((key === 'oneOf' || key === 'allOf') && Array.isArray(value)) return value.map(convert);
  return key === 'items' || key === 'not' || key === 'additionalProperties' ? convert(value) : value;
}

/** Uses `nullable` in place of a type `null`; a value that is always null becomes a text whose only value is null. */
function withType(type: JsonValue | undefined): JsonObject {
  if (type === undefined) return {};
  if (type === 'null') return { type: 'string', nullable: true, enum: [null] };
  if (typeof type === 'string') return { type };
  const [one, ...others] = listOf(type).filter((name) => name !== 'null');
  if (one === undefined || others.length > 0) throw new Error(`OpenAPI 3.0 has no type ${JSON.stringify(type)}`);
  return { type: one, nullable: true };
}

/**
 * Turns an alternative of a reference and null into a nullable `allOf` of one, which generators understand, with the type of the referenced
 * schema.
 */
function alternatives(anyOf: JsonValue | undefined, schemas: JsonObject): JsonObject {
  if (anyOf === undefined) return {};
  const all = listOf(anyOf);
  const options = all.filter((option) => !isNull(option));
  const converted = options.map((option) => schema30(option, schemas));
  const isNullable = options.length < all.length;
  const [one = null] = options;
  if (!isNullable || options.length > 1) return { ...(isNullable && { nullable: true }), anyOf: converted };
  return { type: resolve(one, schemas)['type'] ?? 'object', nullable: true, allOf: converted };
}

/** Whether a sample has null in place of a reference: strictly, a nullable `allOf` refuses it. */
function hasNullForReference(schema: JsonValue, sample: JsonValue, schemas: JsonObject): boolean {
  const { properties, items, anyOf, oneOf, allOf } = resolve(schema, schemas);
  if (sample === null) return listOf(anyOf).some(isNull);
  if (Array.isArray(sample)) {
    return sample.some((one: JsonValue) => hasNullForReference(items ?? {}, one, schemas));
  }
  if (!isJsonObject(sample)) return false;
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  return (
    members.some(([name, member]) => name in sample && hasNullForReference(member, sample[name] ?? null, schemas)) ||
    [anyOf, oneOf, allOf].flatMap(listOf).some((option) => hasNullForReference(option, sample, schemas))
  );
}

function resolve(schema: JsonValue, schemas: JsonObject): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { $ref } = schema;
  return typeof $ref === 'string' ? objectAt(schemas, $ref.slice('#/components/schemas/'.length)) : schema;
}

const isNull = (schema: JsonValue) => isJsonObject(schema) && schema['type'] === 'null';

/** 3.0 allows no siblings of a reference. */
function inPlaceOfRef({ $ref, ...beside }: JsonObject): JsonObject {
  if ($ref === undefined) return beside;
  return Object.keys(beside).length === 0 ? { $ref } : { ...beside, allOf: [{ $ref }] };
}

function eachOf(schemas: JsonObject, convert: (schema: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema)]));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonList(value) ? value : [];
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}
