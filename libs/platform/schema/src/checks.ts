import type { TSchema, TUnsafe } from '@sinclair/typebox';
import type { Issue, JsonValue } from '@app/kernel';
import { converts, readerOf, withReader, wrong } from './reading';
import type { Shaped } from './schema';

/**
 * The schema with a check of the meaning of its values.
 * @param issuesOf receives the value that was read; the pointers of its issues are relative to the value
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
 * Described by the schema, but read by a given function, and kept unchanged: for rules that JSON Schema cannot express, and for values that
 * a use case reads itself, after the request as a whole was read.
 * @param message `must be …`
 */
export function custom<Value>(
  schema: TSchema,
  accepts: (value: unknown) => value is Value,
  message: string,
): TUnsafe<Value> {
  // Reason for the assertion: the type is that of the values which `accepts` admits.
  const described = schema as TUnsafe<Value>;
  return withReader(described, (part) => (accepts(part.value) ? part.value : wrong(part, message)), {
    converts: false,
  });
}

/** Described by the schema; the use case that takes the value reads it, and reports its issues itself. */
export function readLater(schema: TSchema): TUnsafe<JsonValue> {
  return custom(schema, (value): value is JsonValue => value !== undefined, 'must be JSON');
}

/** Whether a value is a text of any length and form. */
export function isText(value: unknown): value is string {
  return typeof value === 'string';
}
