import { codePointLength, parseUuid, type PartnerKeyId, type UserId } from '@app/kernel';
import { InvalidArgumentError } from 'commander';

const reasonLengthMax = 500;

/** A reason for a change, 1 to 500 code points (docs/decisions/operators.md). */
export function reasonArgument(text: string): string {
  const length = codePointLength(text);
  if (length < 1 || length > reasonLengthMax) throw new InvalidArgumentError(`1 to ${reasonLengthMax} characters.`);
  return text;
}

/** An id in its own type. */
export function idArgument<Id extends PartnerKeyId | UserId>(text: string): Id {
  const id = parseUuid<Id>(text);
  if (id === null) throw new InvalidArgumentError('It is no UUID.');
  return id;
}
