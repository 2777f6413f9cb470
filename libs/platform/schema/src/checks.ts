import type { TSchema, TUnsafe } from '@sinclair/typebox';
import type { Issue, JsonValue } from '@app/kernel';
import { converts, readerOf, withReader, wrong } from './reading';
import type { Shaped } from './schema';

/**
 * What the schema describes, if its meaning holds besides.
 * @param issuesOf is asked of what was read, and answers with pointers that are relative to it
 */
export function refine<Described extends TSchema>(
  schema: Described,
  issuesOf: (value: Shaped<Described>) => readonly Issue[],
): Described {
  const reader = readerOf(schema);
  const refined = (part: Parameters<typeof reader>[0]): unknown => {
    const value = reader(part);
    if (value === undefined) return undefined;
    const issues = issuesOf(value);
    for (const { path, message } of issues) wrong(part, message, path);
    return issues.length === 0 ? value : undefined;
  };
  return withReader(schema, refined, { converts: converts(schema) });
}

/**
 * Described by the schema, but read by a function of its own, and kept as it is: for what JSON Schema cannot say, and for what a use
 * case reads itself, later than the rest of a request.
 * @param message `must be …`
 */
export function custom<Value>(
  schema: TSchema,
  accepts: (value: unknown) => value is Value,
  message: string,
): TUnsafe<Value> {
  // Reason for the assertion: the type is that of what `accepts` lets through.
  const described = schema as TUnsafe<Value>;
  return withReader(described, (part) => (accepts(part.value) ? part.value : wrong(part, message)), {
    converts: false,
  });
}

/** Described by the schema; the use case that takes it reads it, and says itself what is wrong with it. */
export function readLater(schema: TSchema): TUnsafe<JsonValue> {
  return custom(schema, (value): value is JsonValue => value !== undefined, 'must be JSON');
}

/** Whether a value is a text, of whatever length and form. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
