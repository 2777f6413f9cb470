import { isJsonObject } from '@app/kernel';
import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { succeeded, type Usage } from './operator-api';
import type { OperatorApi } from './operator-call';
import { CommandFailed } from '../terminal/outcome';
import { secretIn } from '../terminal/secrets';

/** For error messages of calls that name a key by its hash. */
export const keyUsage: Usage = {
  whereNamed: 'no partner key of this deployment is that one',
  optionFor: () => null,
  isChange: false,
};

interface HeldKey {
  readonly keyStdin?: boolean;
  readonly keyFile?: string;
}

/** Adds the options that name a partner key by the key itself, which is read here and never sent: only its hash is. */
export function withHeldKey(command: Command): Command {
  return command
    .option('--key-stdin', 'the key that one holds, from standard input')
    .option('--key-file <file>', 'the key that one holds, in a file');
}

/** Returns the hash of the key that the options name; null when they name none. @throws CommandFailed */
export async function hashOfHeldKey(command: Command): Promise<string | null> {
  const { keyStdin, keyFile } = command.opts<HeldKey>();
  if (keyStdin !== true && keyFile === undefined) return null;
  const key = await secretIn(keyStdin === true ? '-' : (keyFile ?? '-'));
  if (!/^pk_[A-Za-z0-9_-]{43}$/.test(key)) throw new CommandFailed('that is no partner key: pk_ and 43 characters');
  return createHash('sha256').update(key).digest('hex');
}

/** Returns the id of the key with this hash. @throws CommandFailed when there is none, NoAnswer */
export async function keyIdOf(api: OperatorApi, keySha256: string): Promise<string> {
  const path = `/operator/v1/partner-keys/find?${new URLSearchParams({ keySha256 }).toString()}`;
  const found = succeeded(await api.call({ method: 'GET', path }), 'keys', keyUsage);
  const { keyId } = isJsonObject(found) ? found : {};
  if (typeof keyId !== 'string') throw new CommandFailed('the service does not say which key it is');
  return keyId;
}
