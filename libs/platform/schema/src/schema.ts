import { Type, type Static, type TOptionalWithFlag, type TSchema, type TUnsafe } from '@sinclair/typebox';
import { codePointLength, instantIn, instantRule, isVisible, parseUuid } from '@app/kernel';
import type { Instant, JsonValue } from '@app/kernel';
import { inBrief, withBrief } from './briefs';
import { withName } from './names';
import { integerFormat, publishedInstant, publishedPattern } from './published-forms';
import { withReader, wrong, type Reader } from './reading';

/**
 * Descriptions of values: JSON Schema 2020-12, as OpenAPI 3.1 uses it, together with a reader. The type of a value derives from its
 * description (`Shaped`), so that the two cannot differ.
 */
export type Schema<Value = unknown> = TSchema & { static: Value };

/** The type of the values that a schema describes. */
export type Shaped<Described extends TSchema> = Static<Described>;

export interface Words {
  readonly description?: string;
  /** The description for models, in place of `description`; without it they receive only the form. */
  readonly brief?: string;
  readonly examples?: readonly JsonValue[];
  /** The requirement on a value, if the default message is insufficient: `must be …`. It appears in issues, not in documents. */
  readonly message?: string;
}

/** The words as documents publish them; those for models are kept where no document shows them. */
export function publish({ message: _, brief, ...published }: Words): object {
  return { ...published, ...withBrief(brief) };
}

/** Set if null is one of the schema's own values. */
export const nulls = Symbol('nulls');

/** Whether null is one of the schema's own values; otherwise an optional member that is null counts as absent. */
export function canBeNull(schema: TSchema): boolean {
  return Reflect.get(schema, nulls) === true;
}

/** A member that may be absent. */
export function optional<Described extends TSchema>(schema: Described): TOptionalWithFlag<Described, true> {
  return Type.Optional(schema);
}

/** A UUID in lower case, as every answer spells one; requests may spell it in either. */
export function uuid<Id extends string = string>(words: Words = {}): TUnsafe<Id> {
  const schema = Type.Unsafe<Id>({ type: 'string', format: 'uuid', ...publish(words) });
  const message = words.message ?? 'must be a UUID';
  return withReader(schema, (part) => parseUuid(part.value) ?? wrong(part, message), { converts: true });
}

/** ISO 8601 in UTC with milliseconds and `Z` (docs/decisions/conventions.md), as answers spell it. */
export function instant<Value extends string = string>(words: Words = {}): TUnsafe<Value> {
  return Type.Unsafe<Value>({
    type: 'string',
    format: 'date-time',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
    ...publish(words),
  });
}

/** Describes one of the allowed spellings to models, rather than the pattern of all. */
const instantInBrief = withName(
  'instant',
  Type.Unsafe<Instant>({ type: 'string', ...withBrief('UTC, such as 2027-01-31T09:00:00.000Z') }),
);

/**
 * An instant in any spelling that requests may use (docs/decisions/conventions.md, "Ids and values"). It is read into an `Instant`, and
 * answers spell it as one.
 */
export function givenInstant({ description, ...words }: Words = {}): TUnsafe<Instant> {
  const schema = Type.Unsafe<Instant>({ ...publishedInstant(description), ...publish(words) });
  const reader: Reader = (part) => instantIn(part.value) ?? wrong(part, instantRule);
  return inBrief(withReader(schema, reader, { converts: true }), instantInBrief);
}

interface TextBounds extends Words {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** Whether a reader must see something of it (`isVisible`); published as a pattern that excludes space alone, which every language has. */
  readonly visible?: boolean;
  readonly format?: string;
}

/**
 * A text; lengths count code points, as in JSON Schema. One with a maximum length and no pattern of its own is kept in our stores: it has
 * neither U+0000 nor lone surrogates.
 */
export function text<Value extends string = string>(bounds: TextBounds = {}): TUnsafe<Value> {
  const { min, max, visible = false, pattern = visible ? /\S/ : undefined, ...words } = bounds;
  const schema = Type.Unsafe<Value>({
    type: 'string',
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(pattern !== undefined && { pattern: publishedPattern(pattern) }),
    ...publish(words),
  });
  return withReader(schema, textReader(bounds), { converts: false });
}

const loneSurrogate = /\p{Surrogate}/u;

function textReader({ min = 0, max, pattern, visible = false, message }: TextBounds): Reader {
  const lengths = max === undefined ? 'must be a text' : `must be a text of ${min} to ${max} characters`;
  const bounded = visible ? `${lengths}, not only invisible ones` : lengths;
  const isKept = max !== undefined;
  return (part) => {
    const { value } = part;
    const fits =
      typeof value === 'string' &&
      (min === 0 && max === undefined ? true : isBetween(codePointLength(value), min, max ?? Infinity)) &&
      (pattern?.test(value) ?? true) &&
      (!visible || isVisible(value)) &&
      !(isKept && (value.includes('\0') || loneSurrogate.test(value)));
    return fits ? value : wrong(part, message ?? bounded);
  };
}

/** One of these texts. The set is closed: another value is a breaking change (specification, "Versioning", rule 5). */
export function oneOf<const Value extends string>(values: readonly Value[], words: Words = {}): TUnsafe<Value> {
  const schema = Type.Unsafe<Value>({ type: 'string', enum: [...values], ...publish(words) });
  const message = words.message ?? `must be one of ${values.join(', ')}`;
  return withReader(schema, (part) => values.find((value) => value === part.value) ?? wrong(part, message), {
    converts: false,
  });
}

/**
 * Exactly this value, to distinguish the variants of a union; published with an `enum` of one as well, for generators without support of
 * `const`.
 */
export function constant<const Value extends string | number | boolean | null>(
  value: Value,
  words: Words = {},
): TUnsafe<Value> {
  const reader: Reader = (part) => (part.value === value ? value : wrong(part, words.message ?? `must be ${value}`));
  return withReader(Type.Unsafe<Value>({ ...constantSchema(value), ...publish(words) }), reader, { converts: false });
}

function constantSchema(value: string | number | boolean | null): object {
  if (value === null) return { type: 'null' };
  if (typeof value !== 'number') return { type: typeof value, const: value, enum: [value] };
  return { type: 'integer', format: 'int32', const: value, enum: [value] };
}

interface IntegerBounds extends Words {
  readonly min?: number;
  readonly max?: number;
  /** The meaning of absence, for the reference. */
  readonly default?: number;
}

/** A whole JSON number. */
export function integer(bounds: IntegerBounds = {}): TUnsafe<number> {
  const { min, max, ...words } = bounds;
  const schema = Type.Unsafe<number>({
    type: 'integer',
    format: integerFormat(max),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...publish(words),
  });
  const range = min === undefined || max === undefined ? '' : ` from ${min} to ${max}`;
  const message = words.message ?? `must be a whole number${range}`;
  const reader: Reader = (part) => {
    const { value } = part;
    const fits =
      typeof value === 'number' && Number.isInteger(value) && isBetween(value, min ?? -Infinity, max ?? Infinity);
    return fits ? value : wrong(part, message);
  };
  return withReader(schema, reader, { converts: false });
}

interface NumberBounds extends Words {
  readonly min: number;
  readonly max: number;
}

/** A JSON number that may have a fraction, for settings; amounts, prices and costs are texts or integers instead. */
export function number({ min, max, ...words }: NumberBounds): TUnsafe<number> {
  const schema = Type.Unsafe<number>({
    type: 'number',
    format: 'double',
    minimum: min,
    maximum: max,
    ...publish(words),
  });
  const message = words.message ?? `must be a number from ${min} to ${max}`;
  const reader: Reader = ({ value, ...part }) =>
    typeof value === 'number' && isBetween(value, min, max) ? value : wrong({ value, ...part }, message);
  return withReader(schema, reader, { converts: false });
}

/** @param words `default` is the meaning of absence, for the reference */
export function boolean(words: Words & { readonly default?: boolean } = {}): TUnsafe<boolean> {
  const schema = Type.Unsafe<boolean>({ type: 'boolean', ...publish(words) });
  const message = words.message ?? 'must be true or false';
  return withReader(schema, (part) => (typeof part.value === 'boolean' ? part.value : wrong(part, message)), {
    converts: false,
  });
}

/** Any JSON value; it is kept unchanged. */
export function json(words: Words = {}): TUnsafe<JsonValue> {
  const message = words.message ?? 'must be JSON';
  const reader: Reader = (part) => (part.value === undefined ? wrong(part, message) : part.value);
  return withReader(Type.Unsafe<JsonValue>({ ...publish(words), [nulls]: true }), reader, { converts: false });
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}
