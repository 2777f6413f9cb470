import { setTimeout as sleep } from 'node:timers/promises';
import { readSecrets } from '@app/data-folder';
import type { ReadGate } from '@app/read-store';
import type { Configuration } from '@app/settings';
import { halfNamed, namedStores } from '../stores/named-stores';
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
export async function findDeployment(configuration: Configuration): Promise<NodeJS.ProcessEnv> {
  const { env } = configuration;
  const { PARLEY_DATA_DIR: dataDir } = env;
  const PARLEY_SECRET_KEY = env.PARLEY_SECRET_KEY ?? (await readSecrets(dataDir))?.secretKey;
  const { databaseUrl: DATABASE_URL, eventStoreUrl: EVENTSTORE_URL, running } = await namedStores(configuration);
  if ((DATABASE_URL === undefined) !== (EVENTSTORE_URL === undefined))
    throw new CommandFailed(halfNamed(env, running !== 'none'));
  const found = { DATABASE_URL, EVENTSTORE_URL, PARLEY_SECRET_KEY };
  const missing = needed.filter((name) => found[name] === undefined);
  if (missing.length === 0) return found;
  throw new CommandFailed(
    `no Parley runs on ${dataDir}: run npm start first, or name a deployment (${missing.join(', ')} not set)`,
  );
}

/** Waits for a projector, because a write waits for the read models only while there is one. */
export async function hearProjector(gate: ReadGate): Promise<void> {
  const deadline = performance.now() + heardWithinMs;
  while (!gate.projecting && performance.now() < deadline) await sleep(askAgainMs);
}
