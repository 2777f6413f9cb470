import type { JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020';

/** The structured output in a final answer: null where none was asked for; not valid where it breaks the schema or is no JSON. */
export function parseOutput(
  text: string,
  outputSchema: JsonValue,
): { valid: true; value: JsonValue } | { valid: false } {
  if (outputSchema === null || typeof outputSchema !== 'object') return { valid: true, value: null };
  try {
    const value: unknown = JSON.parse(text);
    // Reason for the assertion: JSON.parse makes nothing but JSON.
    return new Ajv2020({ strict: false }).validate(outputSchema, value)
      ? { valid: true, value: value as JsonValue }
      : { valid: false };
  } catch {
    // No JSON, or a schema that contradicts itself: either way nothing satisfies it.
    return { valid: false };
  }
}
