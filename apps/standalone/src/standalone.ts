import { CannotStart, readDotEnv, startServing, tellWarnings } from '@app/composition';
import type { RunningProcess, Stoppable } from '@app/composition';
import { ensureSecrets, readSecrets, removeRunningStores, writeRunningStores } from '@app/data-folder';
import { readMoveTarget } from '@app/event-migration';
import { Unavailable } from '@app/kernel';
import { unlessAborted } from '@app/runtime';
import { readConfiguration, type Configuration } from '@app/settings';
import { ConstantBackoff, handleType, retry } from 'cockatiel';
import { readyBlock } from './block';
import { removeAccess, seedSandbox, writeAccess } from './demo';
import { ensureFreePorts, warnOfEmbeddedStores, databaseHoldsSealed, checkGivenStores } from './given-stores';
import { ensureDataFolder, startStores, type Stores } from './stores';

const log = (line: string): void => console.error(line);

/**
 * Repeats a call of PostgreSQL for about a minute, because a busy machine delays the answers of a server that has just started. The event
 * store has its own retries (`StoresCheck`).
 */
const insisting = retry(
  handleType(Unavailable, ({ dependency }) => dependency === 'database'),
  { maxAttempts: 12, backoff: new ConstantBackoff(1_000) },
);

/**
 * Implements `npm start`: PostgreSQL and the event store, unless the environment names others, and api and worker in one process. In
 * sandbox mode it also seeds a partner key and a user, and prints how to call the service. When interrupted, it stops what it has started.
 */
export async function startStandalone(interrupted: AbortSignal): Promise<Stoppable> {
  readDotEnv();
  const asked = readConfiguration(process.env);
  tellWarnings(asked);
  warnOfEmbeddedStores(asked, log);
  // Before the ports, so that the second of two starts on one data folder reports the first.
  await ensureDataFolder(asked);
  // First of all, so that a damaged file is reported at once.
  if (asked.sandbox) await readSecrets(asked.env.PARLEY_DATA_DIR);
  await unlessAborted(checkGivenStores(asked), interrupted);
  const stores = await startStores(asked, log, interrupted);
  try {
    await insisting.execute(() => refuseMovedEvents(asked, stores), interrupted);
    await ensureFreePorts(asked);
    const { MANAGEMENT_PORT: managementPort } = asked.env;
    await writeRunningStores(asked.env.PARLEY_DATA_DIR, { ...stores, managementPort });
    const serving = asked.sandbox
      ? serveSandbox(asked, stores, interrupted)
      : serve(stores, asked.env.PARLEY_SECRET_KEY, interrupted);
    const running = await unlessAborted(serving, interrupted);
    return untilLost(running, stores, asked.env.PARLEY_DATA_DIR);
  } catch (error) {
    await removeRunningStores(asked.env.PARLEY_DATA_DIR);
    await stores.stop();
    throw error;
  }
}

/** The embedded event store of a database whose events were migrated lacks all later ones. @throws CannotStart */
async function refuseMovedEvents({ env }: Configuration, { databaseUrl }: Stores): Promise<void> {
  if (env.EVENTSTORE_URL !== undefined) return;
  const target = await readMoveTarget(databaseUrl);
  if (target !== null)
    throw new CannotStart(`the events of this database were migrated to ${target}: set EVENTSTORE_URL to that store`);
}

async function serve(stores: Stores, secretKey: string | undefined, interrupted: AbortSignal): Promise<RunningProcess> {
  const configuration = readConfiguration({
    ...process.env,
    DATABASE_URL: stores.databaseUrl,
    EVENTSTORE_URL: stores.eventStoreUrl,
    PARLEY_SECRET_KEY: secretKey,
  });
  // The holder of the embedded database's folder is the only one to serve it.
  const alone = !process.env['DATABASE_URL'];
  const parts = { api: true, worker: true };
  const running = await insisting.execute(() => startServing(configuration, parts, { alone }), interrupted);
  if (!configuration.sandbox) log(`Parley is ready at ${configuration.baseUrl}.`);
  return running;
}

async function serveSandbox(asked: Configuration, stores: Stores, interrupted: AbortSignal): Promise<RunningProcess> {
  const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY: givenKey } = asked.env;
  // We hold the data folder by now, so this file is left over from a start that was killed.
  await removeAccess(dataDir);
  if (givenKey === undefined)
    await insisting.execute(() => refuseLostSecrets(dataDir, stores.databaseUrl), interrupted);
  const secrets = await ensureSecrets(dataDir);
  const running = await serve(stores, givenKey ?? secrets.secretKey, interrupted);
  try {
    const access = await seedSandbox(running.app, asked, secrets.partnerKey);
    await writeAccess(dataDir, access);
    console.log(await readyBlock(access, dataDir, performance.now()));
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** A new secret key would open nothing that was sealed with the lost one. @throws CannotStart */
async function refuseLostSecrets(dataDir: string, databaseUrl: string): Promise<void> {
  if ((await readSecrets(dataDir)) !== null || !(await databaseHoldsSealed(databaseUrl))) return;
  throw new CannotStart(
    `${dataDir}/secrets.json is lost, and only its key opens the wallet keys and webhook secrets of this folder: ` +
      'put it back from a backup, or set PARLEY_DATA_DIR to a new folder',
  );
}

/** Combines everything into one thing to stop; ends the process when its database is lost, because nothing here works without it. */
function untilLost(running: RunningProcess, stores: Stores, dataDir: string): Stoppable {
  let stopping = false;
  void stores.lost.then(() => {
    if (stopping) return;
    log('PostgreSQL is lost; ending as well');
    process.exit(1);
  });
  return {
    drainMs: running.drainMs,
    stop: async () => {
      stopping = true;
      try {
        await running.stop();
      } finally {
        await removeAccess(dataDir);
        await removeRunningStores(dataDir);
        await stores.stop();
      }
    },
  };
}
