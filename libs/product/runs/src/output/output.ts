import { isJsonObject, isStorable, type JsonValue } from '@app/kernel';
import { SchemaCheck } from './schema-check';

/** Most steps of checking one answer; they take some 20 milliseconds. Usual schemas need a fraction of that for 256 KiB of JSON. */
const stepsMax = 200_000;

/**
 * Parses the structured output in a final answer: null when none was requested; invalid when it is not JSON, violates the schema, or none
 * of our stores could hold it.
 */
export function parseOutput(
  text: string,
  outputSchema: JsonValue,
): { valid: true; value: JsonValue } | { valid: false } {
  if (!isJsonObject(outputSchema)) return { valid: true, value: null };
  const value = jsonIn(text);
  const isValid = value !== undefined && isStorable(value) && new SchemaCheck(stepsMax).satisfies(value, outputSchema);
  return isValid ? { valid: true, value } : { valid: false };
}

/** Returns the fault of an invalid answer, in words for the model. */
export function faultInOutput(text: string, outputSchema: JsonValue): string {
  const value = jsonIn(text);
  if (value === undefined) return 'it is not JSON';
  if (!isStorable(value)) return 'it is nested too deeply, or holds U+0000 or a lone surrogate';
  const { path, words } = new SchemaCheck(stepsMax).faultIn(value, outputSchema) ?? { path: '', words: 'does not fit' };
  return `${path === '' ? 'the value' : path} ${words}`;
}

/** Undefined for a text that is not JSON. */
function jsonIn(text: string): JsonValue | undefined {
  try {
    // Reason for the assertion: JSON.parse returns nothing but JSON.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // the callers report it
  }
}
