import { isJsonObject, type JsonValue } from '@app/kernel';
import { CommandFailed } from '../terminal/outcome';

/**
 * Fails a command whose answer, which is printed already, proves less than was asked for: a script must not take it as proof.
 * @throws CommandFailed
 */
export function refuseFlawed(operation: string, body: JsonValue): void {
  const { faulty, damage, proof } = isJsonObject(body) ? body : {};
  if (operation === 'streams.verify' && (damage !== null || faulty !== 0))
    throw new CommandFailed('not all of it holds: what does not is named above');
  if (operation === 'approvals.receipt' && isJsonObject(proof) && proof['complete'] !== true)
    throw new CommandFailed('the log does not cover every event of the receipt yet: get it again in a minute');
}
