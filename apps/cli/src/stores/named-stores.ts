import { findRunningStores } from '@app/data-folder';
import type { Configuration } from '@app/settings';
import { CommandFailed } from '../terminal/outcome';

/** The stores of one deployment, as far as they are named or running. */
export interface NamedStores {
  readonly databaseUrl: string | undefined;
  /** Undefined if no address is known: the events may be in the database. */
  readonly eventStoreUrl: string | undefined;
  /** Whether an `npm start` that runs on the data folder uses these, others, or there is none. */
  readonly running: 'these' | 'others' | 'none';
}

/**
 * Returns the stores that the environment (or `.env`) names, or those of the `npm start` that runs on the data folder. A store that is named
 * is completed by the `npm start` that uses it, so that stores of two deployments are never combined.
 * @throws CommandFailed when the event store alone is named, and the Parley that runs on the data folder uses another
 */
export async function namedStores({ env }: Configuration): Promise<NamedStores> {
  const { DATABASE_URL: databaseUrl, EVENTSTORE_URL: eventStoreUrl, PARLEY_DATA_DIR: dataDir } = env;
  const here = await findRunningStores(dataDir);
  if (here === null) return { databaseUrl, eventStoreUrl, running: 'none' };
  const isHere =
    (databaseUrl ?? here.databaseUrl) === here.databaseUrl &&
    (eventStoreUrl ?? here.eventStoreUrl) === here.eventStoreUrl;
  if (isHere) return { databaseUrl: here.databaseUrl, eventStoreUrl: here.eventStoreUrl, running: 'these' };
  if (databaseUrl === undefined) throw new CommandFailed(halfNamed(env, true));
  return { databaseUrl, eventStoreUrl, running: 'others' };
}

/** Refuses one store without the other one, in words. @param doesRun whether an `npm start` runs on the data folder */
export function halfNamed({ DATABASE_URL, PARLEY_DATA_DIR: dataDir }: Configuration['env'], doesRun: boolean): string {
  const names = ['DATABASE_URL', 'EVENTSTORE_URL'] as const;
  const [set, unset] = DATABASE_URL === undefined ? [...names].reverse() : names;
  const whether = doesRun ? `the Parley that runs on ${dataDir} uses another` : `no Parley runs on ${dataDir}`;
  return `${set} is set, ${unset} is not, and ${whether}: set ${unset} too, or unset ${set}`;
}
