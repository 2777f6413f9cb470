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
    return validatorOf(outputSchema)(value) ? { valid: true, value: value as JsonValue } : { valid: false };
  } catch {
    // No JSON, or a schema that contradicts itself: either way nothing satisfies it.
    return { valid: false };
  }
}

/**
 * Says whether values satisfy a schema of the supported subset, which admission has checked: so the schema is not validated here.
 * Each validator has a compiler of its own, since one compiler would remember every schema that it ever saw.
 */
export function validatorOf(schema: object): (value: unknown) => boolean {
  return new Ajv2020({ strict: false, meta: false, validateSchema: false }).compile(schema);
}
