import { isHeldExactly } from '@app/http';
import { words as say, type JsonValue, type Words } from '@app/kernel';

/** A string, or a number outside of strings. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Whether a double holds every number of a JSON text exactly; `1.10` is 1.1, and 2^53 + 1 is none. */
export function holdsNumbers(json: string): boolean {
  for (const [part] of json.matchAll(token)) if (!part.startsWith('"') && !isHeldExactly(part)) return false;
  return true;
}

/**
 * Returns why no tool may take an input, or null if the tool itself decides. Inputs whose numbers would change are kept as their JSON text.
 */
export function changedNumberIn(input: JsonValue): Words | null {
  return typeof input !== 'string' || holdsNumbers(input) ? null : changedNumber;
}

const changedNumber = say`nothing was done: a number of the input has more digits than are kept; send it as text`;
