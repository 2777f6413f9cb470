import { ok, type Result } from '@app/kernel';
import { read } from '@app/schema';
import { definitionBounds, type AutomationDefinition } from './automation-definition';
import { definitionShape } from './definition.schema';

/**
 * Reads a definition out of JSON, strictly: what a schema can say about it. Whether it can run as written is `checkDefinition`'s.
 * The answer is what is stored and shown: `retryForSeconds` is filled in, and instants are in UTC with milliseconds.
 *
 * @returns the definition, or `invalid_input` with up to 32 issues, whose pointers are relative to the definition
 */
export function parseDefinition(value: unknown): Result<AutomationDefinition> {
  const found = read(definitionShape, value);
  if (!found.ok) return found;
  const { retryForSeconds = definitionBounds.retrySecondsDefault } = found.value.firing;
  return ok({ ...found.value, firing: { ...found.value.firing, retryForSeconds } });
}
