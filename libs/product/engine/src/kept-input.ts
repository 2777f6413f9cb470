import { isHeldExactly } from '@app/http';
import { words as say, type JsonValue, type Words } from '@app/kernel';

/** A string, or a number outside of strings. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Whether a double holds every number of a JSON text exactly; `1.10` is 1.1, and 2^53 + 1 is none. */
export function holdsNumbers(json: string): boolean {
  for (const [part] of json.matchAll(token)) if (!part.startsWith('"') && !isHeldExactly(part)) return false;
  return true;
}

/** Why no tool may take an input; null where the tool itself is to say. Inputs with numbers that would change are kept as their JSON. */
export function changedNumberIn(input: JsonValue): Words | null {
  return typeof input !== 'string' || holdsNumbers(input) ? null : changedNumber;
}

const changedNumber = say`nothing was done: a number of the input has more digits than are kept; send it as text`;
