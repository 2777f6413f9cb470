import { usesPerOccurrenceOf, type Contract } from '@app/consent';
import { ok, type Result } from '@app/kernel';
import { read } from '@app/schema';
import { definitionBounds, type AutomationDefinition } from './automation-definition';
import { definitionShape } from './definition.schema';

/**
 * Parses a definition from JSON, strictly, as far as a schema can check it; `checkDefinition` checks whether it can run
 * as written. The result is stored and shown: `retryForSeconds` and the contract's `usesPerOccurrence` are filled in,
 * and instants are in UTC with milliseconds.
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

/** Fills in `usesPerOccurrence`, because the consent text and the fingerprint must contain it. */
function withDefaults(contract: Contract): Contract {
  if (contract.bounds === undefined) return contract;
  const usesPerOccurrence = usesPerOccurrenceOf(contract.bounds);
  return { ...contract, bounds: { ...contract.bounds, usesPerOccurrence } };
}
