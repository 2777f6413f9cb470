import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningStores, readSecrets } from '@app/data-folder';
import type { ReadGate } from '@app/read-store';
import type { Configuration } from '@app/runtime';
import { CommandFailed } from '../terminal/outcome';

/** A projector announces itself every half second; a process that has just started must wait for that. */
const heardWithinMs = 2_000;
const askAgainMs = 25;
const needed = ['DATABASE_URL', 'EVENTSTORE_URL', 'PARLEY_SECRET_KEY'] as const;

/**
 * Finds the addresses of the stores and the secret key: from the environment (or `.env`), and those that it lacks from the `npm start` that
 * runs on the data folder and uses the others.
 * @throws CommandFailed when there is no such deployment
 */
export async function findDeployment({ env }: Configuration): Promise<NodeJS.ProcessEnv> {
  const { DATABASE_URL, EVENTSTORE_URL, PARLEY_DATA_DIR: dataDir } = env;
  const PARLEY_SECRET_KEY = env.PARLEY_SECRET_KEY ?? (await readSecrets(dataDir))?.secretKey;
  const here = await findRunningStores(dataDir);
  const isHere = [DATABASE_URL ?? here?.databaseUrl, EVENTSTORE_URL ?? here?.eventStoreUrl].every(
    (url, at) => url === [here?.databaseUrl, here?.eventStoreUrl][at],
  );
  if (!isHere) refuseHalfNamed(env, here !== null);
  const found = {
    DATABASE_URL: DATABASE_URL ?? here?.databaseUrl,
    EVENTSTORE_URL: EVENTSTORE_URL ?? here?.eventStoreUrl,
    PARLEY_SECRET_KEY,
  };
  const missing = needed.filter((name) => found[name] === undefined);
  if (missing.length === 0) return found;
  throw new CommandFailed(
    `no Parley runs on ${dataDir}: run npm start first, or name a deployment (${missing.join(', ')} not set)`,
  );
}

/** Refuses one store without the other: the other one of the `npm start` here would be that of another deployment. */
function refuseHalfNamed(
  { DATABASE_URL, EVENTSTORE_URL, PARLEY_DATA_DIR: dataDir }: Configuration['env'],
  doesRun: boolean,
): void {
  if ((DATABASE_URL === undefined) === (EVENTSTORE_URL === undefined)) return;
  const names = ['DATABASE_URL', 'EVENTSTORE_URL'] as const;
  const [set, unset] = DATABASE_URL === undefined ? [...names].reverse() : names;
  const whether = doesRun ? `the Parley that runs on ${dataDir} uses another` : `no Parley runs on ${dataDir}`;
  throw new CommandFailed(`${set} is set, ${unset} is not, and ${whether}: set ${unset} too, or unset ${set}`);
}

/** Waits for a projector, because a write waits for the read models only while there is one. */
export async function hearProjector(gate: ReadGate): Promise<void> {
  const deadline = performance.now() + heardWithinMs;
  while (!gate.projecting && performance.now() < deadline) await sleep(askAgainMs);
}
