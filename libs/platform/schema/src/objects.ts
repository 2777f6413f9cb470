import { OptionalKind, Type } from '@sinclair/typebox';
import type { Static, TObject, TProperties, TSchema, TUnsafe } from '@sinclair/typebox';
import { isJsonObject, pointerTo, type JsonObject } from '@app/kernel';
import { dtoOf, nameOf, withName } from './names';
import { converts, inside, readerOf, withReader, wrong, type Part, type Reader } from './reading';
import { canBeNull, nulls, publish, type Words } from './schema';

/** A longer name of a member is not repeated in an issue. */
const namedMemberLengthMax = 256;

/** A list. Items that are single values are checked even if there are too many of them. */
export function list<Item extends TSchema>(
  item: Item,
  bounds: Words & { readonly min?: number; readonly max?: number } = {},
): TUnsafe<readonly Static<Item>[]> {
  const { min, max, ...words } = bounds;
  const schema = Type.Unsafe<readonly Static<Item>[]>({
    type: 'array',
    items: item,
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...publish(words),
  });
  return withReader(schema, listReader(item, bounds), { converts: converts(item) });
}

function listReader(
  item: TSchema,
  { min = 0, max = Infinity, message }: Words & { min?: number; max?: number },
): Reader {
  const range = max === Infinity ? '' : ` of ${min} to ${max} items`;
  const areSingle = ['string', 'integer', 'boolean'].includes(String(item['type']));
  return (part) => {
    const { value } = part;
    if (!Array.isArray(value)) return wrong(part, message ?? `must be a list${range}`);
    const fits = value.length >= min && value.length <= max;
    if (!fits) wrong(part, message ?? `must be a list${range}`);
    if (!fits && !areSingle) return undefined;
    const readItem = readerOf(item);
    const items = value.map((one: unknown, index) => readItem(inside(part, index, one)));
    return fits && !items.includes(undefined) ? items : undefined;
  };
}

/**
 * The value, or null if it does not apply: a list of types, or an alternative of the schema's reference and null. @throws Error for an enum
 * without a name
 */
export function nullable<Described extends TSchema>(
  schema: Described,
  words: Words = {},
): TUnsafe<Static<Described> | null> {
  const reader: Reader = (part) => (part.value === null ? null : readerOf(schema)(part));
  return withReader(
    Type.Unsafe<Static<Described> | null>({ ...besideNull(schema), ...publish(words), [nulls]: true }),
    reader,
    { converts: converts(schema) },
  );
}

function besideNull(schema: TSchema): object {
  if (nameOf(schema) !== null || dtoOf(schema) !== null || typeof schema['type'] !== 'string') {
    return { anyOf: [schema, { type: 'null' }] };
  }
  if (schema['enum'] !== undefined)
    throw new Error('an enum that can be null needs a name: generators know no null in one');
  return { ...schema, type: [schema['type'], 'null'] };
}

/** Whether a member may be absent. */
export function isOptional(schema: TSchema): boolean {
  return Reflect.get(schema, OptionalKind) === 'Optional';
}

/** An object with members of any name; their values are kept unchanged. */
export function mapOf<Value extends TSchema>(
  value: Value,
  words: Words = {},
): TUnsafe<Readonly<Record<string, Static<Value>>>> {
  return Type.Unsafe<Readonly<Record<string, Static<Value>>>>({
    type: 'object',
    additionalProperties: Object.keys(value).length === 0 ? true : value,
    ...publish(words),
  });
}

export type Members<Properties extends TProperties> = Readonly<Static<TObject<Properties>>>;

/** An object without a name. It is open: members may be added within `/v1` (specification, "Versioning", rule 3). */
export function object<Properties extends TProperties>(
  properties: Properties,
  words: Words = {},
): TUnsafe<Members<Properties>> {
  return Type.Unsafe<Members<Properties>>(Type.Object(properties, publish(words)));
}

/** An object that documents and clients know by this name. */
export function shape<Properties extends TProperties>(
  name: string,
  properties: Properties,
  words: Words = {},
): TUnsafe<Members<Properties>> {
  return withName(name, object(properties, words));
}

/**
 * The object with only the described members, which makes it readable: request bodies are strict, and a user's input is returned as it was
 * written.
 */
export function withoutOthers<Described extends TSchema>(schema: Described): Described {
  // Reason for the assertion: a schema that is closed has members, as TypeBox stores them.
  const properties = schema['properties'] as TProperties;
  return withReader({ ...schema, additionalProperties: false }, (part) => membersIn(part, properties), {
    converts: true,
  });
}

/** Returns the members of an object that has all required ones and no unknown ones; undefined once an issue is recorded. */
export function membersIn(part: Part, properties: TProperties): JsonObject | undefined {
  const given = objectIn(part);
  if (given === undefined) return undefined;
  noteUnknown(part, given, properties);
  const missing = Object.keys(properties).filter((name) => isMissing(given, name, properties[name]));
  for (const name of missing) wrong(part, 'is required', pointerTo(name));
  const found: Record<string, unknown> = {};
  let isWhole = missing.length === 0;
  for (const [name, schema] of Object.entries(properties)) {
    if (!isPresent(given, name, schema)) continue;
    const value = readerOf(schema)(inside(part, name, given[name]));
    if (value === undefined) isWhole = false;
    else found[name] = value;
  }
  // Reason for the assertion: the readers turn JSON into JSON.
  return isWhole ? (found as JsonObject) : undefined;
}

/** Returns an object in the sense of JSON; records an issue for anything else. */
export function objectIn(part: Part): JsonObject | undefined {
  return isJsonObject(part.value) ? part.value : wrong(part, 'must be an object');
}

function noteUnknown(part: Part, given: JsonObject, properties: TProperties): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(properties, name)) continue;
    if (name.length > namedMemberLengthMax) wrong(part, 'has an unknown member with an overlong name');
    else wrong(part, 'is not known', pointerTo(name));
  }
}

function isMissing(given: JsonObject, name: string, schema: TSchema | undefined): boolean {
  return schema !== undefined && !isOptional(schema) && !Object.hasOwn(given, name);
}

/**
 * Whether a member counts as present. Null, which some serializers write for absence, is not a value of an optional member
 * (docs/decisions/conventions.md, "Bodies").
 */
function isPresent(given: JsonObject, name: string, schema: TSchema): boolean {
  if (!Object.hasOwn(given, name)) return false;
  return given[name] !== null || !isOptional(schema) || canBeNull(schema);
}
