import { usesPerOccurrenceOf, type Contract } from '@app/consent';
import { ok, type Result } from '@app/kernel';
import { read } from '@app/schema';
import { definitionBounds, type AutomationDefinition } from './automation-definition';
import { definitionShape } from './definition.schema';

/**
 * Reads a definition out of JSON, strictly: what a schema can say about it. Whether it can run as written is `checkDefinition`'s.
 * The answer is what is stored and shown: `retryForSeconds` and the contract's `usesPerOccurrence` are filled in, and instants are in
 * UTC with milliseconds.
 *
 * @returns the definition, or `invalid_input` with up to 32 issues, whose pointers are relative to the definition
 */
export function parseDefinition(value: unknown): Result<AutomationDefinition> {
  const found = read(definitionShape, value);
  if (!found.ok) return found;
  const { retryForSeconds = definitionBounds.retrySecondsDefault } = found.value.firing;
  const { contract, ...rest } = found.value;
  const firing = { ...rest.firing, retryForSeconds };
  return ok({ ...rest, firing, ...(contract === undefined ? {} : { contract: withDefaults(contract) }) });
}

/** What the user reads, and what is hashed, says how often one occurrence may use the contract. */
function withDefaults(contract: Contract): Contract {
  if (contract.bounds === undefined) return contract;
  const usesPerOccurrence = usesPerOccurrenceOf(contract.bounds);
  return { ...contract, bounds: { ...contract.bounds, usesPerOccurrence } };
}
