import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * The same contract in OpenAPI 3.0.3, for generators that know no other version. Pure: it knows what our own document uses of 3.1, and
 * no more. What 3.0 has no word for (a member that another one demands) is left out; the service still asks for it.
 */
export function openApi30(document: JsonObject): JsonObject {
  const components = objectAt(document, 'components');
  const info = objectAt(document, 'info');
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...info, license: { name: objectAt(info, 'license')['name'] ?? '', url: licenseUrl } },
    paths: withoutNews(document['paths'] ?? {}),
    components: {
      ...Object.fromEntries(Object.entries(components).map(([kind, parts]) => [kind, withoutNews(parts)])),
      schemas: eachOf(objectAt(components, 'schemas'), schema30),
    },
  };
}

const licenseUrl = 'https://www.apache.org/licenses/LICENSE-2.0';
/** What stands under these is no schema. */
const samples = new Set(['example', 'x-reasons']);

/** Everything but schemas is the same in both versions. */
function withoutNews(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNews);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    if (samples.has(key)) return [key, inner];
    return [key, key === 'schema' ? schema30(inner) : withoutNews(inner)];
  });
  return Object.fromEntries(members);
}

function schema30(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const { const: constant, examples, dependentRequired: _, type, anyOf, ...rest } = schema;
  const [example] = listOf(examples);
  const members = Object.entries(rest).map(([key, value]): [string, JsonValue] => [key, keyword30(key, value)]);
  return inPlaceOfRef({
    ...typed(type),
    ...alternatives(anyOf),
    ...Object.fromEntries(members),
    ...(constant !== undefined && { enum: [constant] }),
    ...(example !== undefined && { example }),
  });
}

function keyword30(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isJsonObject(value)) return eachOf(value, schema30);
  if ((key === 'oneOf' || key === 'allOf') && Array.isArray(value)) return value.map(schema30);
  return key === 'items' || key === 'not' || key === 'additionalProperties' ? schema30(value) : value;
}

/** `nullable` stands in the place of a type `null`; a value that is always null is a text that only null can be. */
function typed(type: JsonValue | undefined): JsonObject {
  if (type === undefined) return {};
  if (type === 'null') return { type: 'string', nullable: true, enum: [null] };
  if (typeof type === 'string') return { type };
  const [one, ...others] = listOf(type).filter((name) => name !== 'null');
  if (one === undefined || others.length > 0) throw new Error(`OpenAPI 3.0 has no type ${JSON.stringify(type)}`);
  return { type: one, nullable: true };
}

/** A reference beside null is what generators know as a nullable `allOf` of one. */
function alternatives(anyOf: JsonValue | undefined): JsonObject {
  if (anyOf === undefined) return {};
  const all = listOf(anyOf);
  const options = all.filter((option) => !isJsonObject(option) || option['type'] !== 'null');
  const isNullable = options.length < all.length;
  if (isNullable && options.length === 1) return { type: 'object', nullable: true, allOf: options.map(schema30) };
  return { ...(isNullable && { nullable: true }), anyOf: options.map(schema30) };
}

/** In 3.0 nothing may stand beside a reference. */
function inPlaceOfRef({ $ref, ...beside }: JsonObject): JsonObject {
  if ($ref === undefined) return beside;
  return Object.keys(beside).length === 0 ? { $ref } : { ...beside, allOf: [{ $ref }] };
}

function eachOf(schemas: JsonObject, convert: (schema: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema)]));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Reason for the assertion: a list of JSON holds JSON.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}
