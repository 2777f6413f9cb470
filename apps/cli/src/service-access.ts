import { readDotEnv } from '@app/composition';
import { readJson } from '@app/data-folder';
import { isJsonObject } from '@app/kernel';
import { readConfiguration } from '@app/runtime';
import { Option, type Command } from 'commander';
import { join } from 'node:path';
import { CommandFailed } from './outcome';

/** How a service is called as a partner's backend calls it. */
export interface ServiceAccess {
  readonly baseUrl: string;
  readonly partnerKey: string;
  /** Null where none was given: the feed needs none. */
  readonly userToken: string | null;
}

interface AccessOptions {
  readonly url?: string;
  readonly key?: string;
  readonly token?: string;
}

/** Adds the options by which a command finds the service that it calls, and its key. */
export function withService(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'the service; by default the one that runs on the data folder').env('PARLEY_URL'),
    )
    .addOption(new Option('--key <key>', 'the partner key').env('PARLEY_PARTNER_KEY'));
}

/** The same for a command that acts for a user. */
export function withAccess(command: Command): Command {
  return withService(command).addOption(
    new Option('--token <token>', "a user's token, for what is a user's").env('PARLEY_USER_TOKEN'),
  );
}

/** What the options say, and for the rest `sandbox.json` of the data folder. @throws CommandFailed where something is missing */
export async function accessOf(command: Command): Promise<ServiceAccess> {
  readDotEnv();
  const { url, key, token } = command.opts<AccessOptions>();
  const { PARLEY_DATA_DIR: dataDir } = readConfiguration(process.env).env;
  const found = await readJson(join(dataDir, 'sandbox.json'));
  const here = isJsonObject(found) ? found : {};
  const baseUrl = url ?? here['baseUrl'];
  const partnerKey = key ?? here['partnerKey'];
  const userToken = token ?? here['userToken'];
  if (typeof baseUrl !== 'string' || typeof partnerKey !== 'string')
    throw new CommandFailed(
      `no service runs on ${dataDir}: start one with npm start, or name one with --url and --key`,
    );
  return { baseUrl, partnerKey, userToken: typeof userToken === 'string' ? userToken : null };
}
