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
 * Finds the addresses of the stores and the secret key: from the environment (or `.env`), otherwise from the `npm start` that runs on the
 * data folder.
 * @throws CommandFailed when there is no such deployment
 */
export async function findDeployment({ env }: Configuration): Promise<NodeJS.ProcessEnv> {
  const { DATABASE_URL, EVENTSTORE_URL, PARLEY_DATA_DIR: dataDir } = env;
  const PARLEY_SECRET_KEY = env.PARLEY_SECRET_KEY ?? (await readSecrets(dataDir))?.secretKey;
  const running = DATABASE_URL === undefined ? await findRunningStores(dataDir) : null;
  if (running !== null && EVENTSTORE_URL !== undefined && EVENTSTORE_URL !== running.eventStoreUrl)
    throw new CommandFailed(
      `EVENTSTORE_URL is not the event store of the Parley that runs on ${dataDir}: set DATABASE_URL too, or unset it`,
    );
  const found = {
    DATABASE_URL: DATABASE_URL ?? running?.databaseUrl,
    EVENTSTORE_URL: EVENTSTORE_URL ?? running?.eventStoreUrl,
    PARLEY_SECRET_KEY,
  };
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
