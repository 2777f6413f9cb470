import { readDotEnv } from '@app/composition';
import { readJson } from '@app/data-folder';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { readConfiguration } from '@app/settings';
import type { Command } from 'commander';
import { join } from 'node:path';
import { CommandFailed } from '../terminal/outcome';
import { secretOf, withSecret, type SecretOption } from '../terminal/secrets';
import { addressInWords, refuseClearText } from './service-fetch';

/** Address and credentials for calling a service as a partner's backend does. */
export interface ServiceAccess {
  readonly baseUrl: string;
  readonly partnerKey: string;
  /** Null when none was given: the feed needs none. */
  readonly userToken: string | null;
}

const partnerKey: SecretOption = { name: 'key', description: 'the partner key', variable: 'PARLEY_PARTNER_KEY' };
const userToken: SecretOption = {
  name: 'token',
  description: "a user's token, for what is a user's",
  variable: 'PARLEY_USER_TOKEN',
};

/** Adds the options that name the service and its key. */
export function withService(command: Command): Command {
  const url = 'the service, with a key; PARLEY_URL unless given, else the one that runs on the data folder';
  return withSecret(command.option('--url <url>', url), partnerKey);
}

/** The same for a command that acts for a user. */
export function withAccess(command: Command): Command {
  return withSecret(withService(command), userToken);
}

/**
 * Returns the service that the options name with its key, otherwise the one of the data folder. Credentials of one are never sent to the
 * other.
 * @throws CommandFailed when an address is incomplete, or a key would be sent in clear text
 */
export async function accessOf(command: Command): Promise<ServiceAccess> {
  readDotEnv();
  const { url = process.env['PARLEY_URL'] } = command.opts<{ readonly url?: string }>();
  const baseUrl = url === '' ? undefined : url;
  const key = await secretOf(command, partnerKey);
  const token = takesToken(command) ? await secretOf(command, userToken) : undefined;
  if ((baseUrl === undefined) !== (key === undefined))
    throw new CommandFailed(
      baseUrl === undefined
        ? 'a partner key is given and no service: name its address as well, by --url or PARLEY_URL'
        : `${addressInWords(baseUrl)} is named without its key: give --key-file or PARLEY_PARTNER_KEY as well`,
    );
  if (baseUrl === undefined || key === undefined) return accessHere(token);
  refuseClearText(baseUrl, '--url');
  return { baseUrl: withoutEndSlash(baseUrl), partnerKey: key, userToken: token ?? null };
}

const takesToken = (command: Command): boolean => command.options.some(({ long }) => long === '--token-file');
const withoutEndSlash = (url: string): string => url.replace(/\/+$/, '');

async function accessHere(token: string | undefined): Promise<ServiceAccess> {
  const { PARLEY_DATA_DIR: dataDir } = readConfiguration(process.env).env;
  const found = await readJson(join(dataDir, 'sandbox.json'));
  const here: JsonObject = isJsonObject(found) ? found : {};
  const { baseUrl, partnerKey: key, userToken: own } = here;
  if (typeof baseUrl !== 'string' || typeof key !== 'string')
    throw new CommandFailed(
      `no service runs on ${dataDir}: start one with npm start, or name one with --url and --key-file`,
    );
  return { baseUrl, partnerKey: key, userToken: token ?? (typeof own === 'string' ? own : null) };
}
