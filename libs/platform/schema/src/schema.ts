import {
  Type,
  type Static,
  type TObject,
  type TOptionalWithFlag,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import { limits, type Instant, type JsonValue } from '@app/kernel';
import { integerFormat, publishedInstant, publishedPattern } from './published-forms';

/**
 * The words in which answers are described: JSON Schema 2020-12, as OpenAPI 3.1 takes it. The type of a view derives from its
 * description (`Shaped`), so that neither can say what the other does not.
 */
export type Schema<Value = unknown> = TSchema & { static: Value };

/** The type of the values that a schema describes. */
export type Shaped<Described extends TSchema> = Static<Described>;

export interface Words {
  readonly description?: string;
  readonly examples?: readonly JsonValue[];
}

/** A member that may be absent. */
export function optional<Described extends TSchema>(schema: Described): TOptionalWithFlag<Described, true> {
  return Type.Optional(schema);
}

/** A UUID in lower case, as every answer spells one. */
export function uuid<Id extends string = string>(words: Words = {}): TUnsafe<Id> {
  return Type.Unsafe<Id>({ type: 'string', format: 'uuid', ...words });
}

/** ISO 8601 in UTC with milliseconds and `Z` (docs/decisions/conventions.md). */
export function instant<Value extends string = string>(words: Words = {}): TUnsafe<Value> {
  return Type.Unsafe<Value>({
    type: 'string',
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
    ...words,
  });
}

/**
 * An instant as requests may spell it (docs/decisions/conventions.md, "Ids and values"). What was read of it is an `Instant`, and answers
 * spell it as one.
 */
export function givenInstant({ description, ...words }: Words = {}): TUnsafe<Instant> {
  return Type.Unsafe<Instant>({ ...publishedInstant(description), ...words });
}

/** A text; lengths count code points, as JSON Schema does. */
export function text<Value extends string = string>(
  bounds: Words & {
    readonly min?: number;
    readonly max?: number;
    readonly pattern?: RegExp;
    readonly format?: string;
  } = {},
): TUnsafe<Value> {
  const { min, max, pattern, ...words } = bounds;
  return Type.Unsafe<Value>({
    type: 'string',
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(pattern !== undefined && { pattern: publishedPattern(pattern) }),
    ...words,
  });
}

/** One of these texts, for ever: another one is a breaking change (specification, "Versioning", rule 5). */
export function oneOf<const Value extends string>(values: readonly Value[], words: Words = {}): TUnsafe<Value> {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...words });
}

/** Exactly this value, as what tells the variants of a union apart; an `enum` of one besides, for generators that know no `const`. */
export function constant<const Value extends string | number | boolean | null>(
  value: Value,
  words: Words = {},
): TUnsafe<Value> {
  if (value === null) return Type.Unsafe<Value>({ type: 'null', ...words });
  const type = typeof value === 'number' ? 'integer' : typeof value;
  return Type.Unsafe<Value>({
    type,
    ...(type === 'integer' && { format: 'int32' }),
    const: value,
    enum: [value],
    ...words,
  });
}

/** A whole JSON number. */
export function integer(bounds: Words & { readonly min?: number; readonly max?: number } = {}): TUnsafe<number> {
  const { min, max, ...words } = bounds;
  return Type.Unsafe<number>({
    type: 'integer',
    format: integerFormat(max),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...words,
  });
}

export function boolean(words: Words = {}): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean', ...words });
}

/** Any JSON value. */
export function json(words: Words = {}): TUnsafe<JsonValue> {
  return Type.Unsafe<JsonValue>({ ...words });
}

export function list<Item extends TSchema>(
  item: Item,
  bounds: Words & { readonly min?: number; readonly max?: number } = {},
): TUnsafe<readonly Static<Item>[]> {
  const { min, max, ...words } = bounds;
  return Type.Unsafe<readonly Static<Item>[]>({
    type: 'array',
    items: item,
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...words,
  });
}

/** The value, or null where it does not apply: a list of types, or what the schema refers to beside null. @throws Error for an enum without a name */
export function nullable<Described extends TSchema>(
  schema: Described,
  words: Words = {},
): TUnsafe<Static<Described> | null> {
  if (nameOf(schema) !== null || dtoOf(schema) !== null || typeof schema['type'] !== 'string') {
    return Type.Unsafe<Static<Described> | null>({ anyOf: [schema, { type: 'null' }], ...words });
  }
  if (schema['enum'] !== undefined)
    throw new Error('an enum that can be null needs a name: generators know no null in one');
  return Type.Unsafe<Static<Described> | null>({ ...schema, type: [schema['type'], 'null'], ...words });
}

/** An object with members of any name. */
export function mapOf<Value extends TSchema>(
  value: Value,
  words: Words = {},
): TUnsafe<Readonly<Record<string, Static<Value>>>> {
  return Type.Unsafe<Readonly<Record<string, Static<Value>>>>({
    type: 'object',
    additionalProperties: Object.keys(value).length === 0 ? true : value,
    ...words,
  });
}

export type Members<Properties extends TProperties> = Readonly<Static<TObject<Properties>>>;

/** An object without a name of its own. It is open: members may be added within `/v1` (specification, "Versioning", rule 3). */
export function object<Properties extends TProperties>(
  properties: Properties,
  words: Words = {},
): TUnsafe<Members<Properties>> {
  return Type.Unsafe<Members<Properties>>(Type.Object(properties, words));
}

/**
 * What stands under this name in the document, put there by another slice or further out in a recursion; the type is the
 * caller's to tell. A document in which nothing has the name is not made.
 */
export function byName<Value>(name: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ $ref: `#/components/schemas/${name}` });
}

/** A class whose members describe a request's body or query. */
export type DtoClass<Dto extends object = object> = new () => Dto;

const dtoClass = Symbol('dtoClass');

/** What a DTO class describes, as a part of something else. */
export function ofDto<Dto extends object>(dto: DtoClass<Dto>): TUnsafe<Dto> {
  return Type.Unsafe<Dto>({ [dtoClass]: dto });
}

/** The class that `ofDto` was given, or null. */
export function dtoOf(schema: object): DtoClass | null {
  const dto: unknown = Reflect.get(schema, dtoClass);
  // Reason for the assertion: only `ofDto` sets this key.
  return typeof dto === 'function' ? (dto as DtoClass) : null;
}

const shapeName = Symbol('shapeName');

/** An object, or anything else, that documents and clients know by this name; see `members` otherwise. */
export function shape<Properties extends TProperties>(
  name: string,
  properties: Properties,
  words: Words = {},
): TUnsafe<Members<Properties>> {
  return withName(name, object(properties, words));
}

/** The same schema under a name: it stands once in a document, and is referred to everywhere else. */
export function withName<Described extends TSchema>(name: string, schema: Described): Described {
  return { ...schema, [shapeName]: name };
}

/** The object with no members but those described: request bodies are strict, and what a user wrote comes back as it was written. */
export function withoutOthers<Described extends TSchema>(schema: Described): Described {
  return { ...schema, additionalProperties: false };
}

/** The name that `shape` or `named` gave, or null. */
export function nameOf(schema: object): string | null {
  const name: unknown = Reflect.get(schema, shapeName);
  return typeof name === 'string' ? name : null;
}

/** The names of an object's members, in order; of a union, those of all variants. */
export function memberNames<Described extends TSchema>(schema: Described): (keyof Static<Described> & string)[] {
  const properties: unknown = schema['properties'];
  // Reason for the assertion: `variants` puts its options there.
  const options = schema['oneOf'] as readonly TSchema[] | undefined;
  const names = options?.flatMap((option) => memberNames(option)) ?? Object.keys(properties ?? {});
  // Reason for the assertion: the static type of a schema has the members that its `properties` name.
  return [...new Set(names)] as (keyof Static<Described> & string)[];
}

/** A page of a list; `nextCursor` is null at the end as of this read. */
export type Page<View> = {
  readonly data: readonly View[];
  readonly nextCursor: string | null;
};

const nextCursor = nullable(text({ max: limits.cursorLengthMax }), {
  description: 'Passed back as `cursor`, it continues the list; null at the end as of this read',
});

/** The members of every page of a list. */
export function pageMembers<Item extends TSchema>(
  item: Item,
  max: number = limits.listLimitMax,
): { readonly data: TUnsafe<readonly Static<Item>[]>; readonly nextCursor: typeof nextCursor } {
  return { data: list(item, { max }), nextCursor };
}

/** A page of a list. @param name of one item, as in `Run` for `RunPage` */
export function pageOfShape<Item extends TSchema>(
  name: string,
  item: Item,
  max: number = limits.listLimitMax,
): TUnsafe<Page<Static<Item>>> {
  return shape(`${name}Page`, pageMembers(item, max));
}

/** A page of a list whose items are counted. */
export function countedPageOfShape<Item extends TSchema>(
  name: string,
  item: Item,
  max: number = limits.listLimitMax,
): TUnsafe<Page<Static<Item>> & { readonly total: number }> {
  const total = integer({ min: 0, description: 'How many the whole list holds' });
  return shape(`${name}Page`, { ...pageMembers(item, max), total });
}
