import { setTimeout as sleep } from 'node:timers/promises';
import { lookAtEventStore } from '@app/event-store';
import { lookAtIssuers, startWaitingServer, type Waiting } from '@app/http';
import { Unavailable } from '@app/kernel';
import { lookAtDatabase, openDatabase } from '@app/read-store';
import { createPino, type Configuration } from '@app/runtime';
import { checkSealing } from './sealing-check';
import { onPort, type RunningProcess } from './serving';
import { readStore } from './slices';
import { describeFailure, isMistake } from './start-failures';

const lookAgainMs = 500;

/** What is the matter with each store; null where it can be used. */
type Troubles = Readonly<Record<'database' | 'event store', Error | null>>;

/**
 * Starts a process as soon as its stores can be used. What is a mistake from the beginning stops the start. A store that does not
 * answer does not: until it does, the process says on its ports what it waits for, and when it is there the tables are made. What
 * turns out to be a mistake only then is said in the log and in `/readyz`, for as long as it is one
 * (docs/decisions/configuration-and-start.md, "Start").
 * @param serves whether it listens on `PORT` too, and not only on the management port
 * @throws UnfitIssuer, UnfitDatabase, UnfitEventStore, CannotStart
 */
export async function startPatiently(
  configuration: Configuration,
  serves: boolean,
  interrupted: AbortSignal,
  start: () => Promise<RunningProcess>,
): Promise<RunningProcess> {
  if (serves) await lookAtIssuers(configuration, createPino(configuration, 'start'));
  let troubles = await troublesOf(configuration, lookAtDatabase(urlsOf(configuration).database));
  // Missing rights and another key show only when the tables are made; with both stores there, that is the start itself.
  if (troubles.database === null && !areUsable(troubles))
    troubles = { ...troubles, database: await troubleOf(prepareDatabase(configuration)) };
  const mistake = Object.values(troubles).find(isMistake);
  if (mistake !== undefined) throw mistake;
  if (!areUsable(troubles)) await storesAreUsable(configuration, serves, interrupted, troubles);
  return start();
}

/** Settles when the stores can be used and the tables are made; answers on the ports of the process until then. */
async function storesAreUsable(
  configuration: Configuration,
  serves: boolean,
  interrupted: AbortSignal,
  first: Troubles,
): Promise<void> {
  const log = createPino(configuration, 'start');
  let troubles = first;
  let isPrepared = first.database === null;
  let told: readonly string[] = [];
  const close = await openPorts(configuration, serves, () => waitingFor(troubles));
  try {
    while (!areUsable(troubles)) {
      const reasons = Object.values(waitingFor(troubles)).flatMap(({ reason }) => reason ?? []);
      for (const reason of reasons.filter((one) => !told.includes(one))) log.warn(reason);
      told = reasons;
      await sleep(lookAgainMs, undefined, { signal: interrupted });
      const look = isPrepared ? lookAtDatabase(urlsOf(configuration).database) : prepareDatabase(configuration);
      troubles = await troublesOf(configuration, look);
      isPrepared ||= troubles.database === null;
    }
    log.info('the stores are there: the start goes on');
  } finally {
    await close();
  }
}

/** Looks at both stores. @throws what is neither a mistake nor a store that is away */
async function troublesOf(configuration: Configuration, database: Promise<void>): Promise<Troubles> {
  const eventStore = lookAtEventStore(urlsOf(configuration).eventStore).then((found) => {
    if (found === 'away') throw new Unavailable('event store');
  });
  const [ofDatabase, ofEventStore] = await Promise.all([database, eventStore].map(troubleOf));
  return { database: ofDatabase ?? null, 'event store': ofEventStore ?? null };
}

async function troubleOf(look: Promise<void>): Promise<Error | null> {
  try {
    await look;
    return null;
  } catch (error) {
    if (error instanceof Unavailable || isMistake(error)) return error;
    throw error;
  }
}

/** What a start does to the database, so that it is known to succeed while there is still somebody to say that it does not. */
async function prepareDatabase(configuration: Configuration): Promise<void> {
  const database = await openDatabase(configuration, readStore);
  try {
    await checkSealing(database, configuration);
  } finally {
    await database.close();
  }
}

async function openPorts(
  configuration: Configuration,
  serves: boolean,
  says: () => Readonly<Record<string, Waiting>>,
): Promise<() => Promise<void>> {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = configuration.env;
  const management = await onPort('MANAGEMENT_PORT', MANAGEMENT_PORT, () =>
    startWaitingServer(says, { host: MANAGEMENT_HOST, port: MANAGEMENT_PORT, tellsReasons: true }),
  );
  if (!serves) return () => management.close();
  const api = await onPort('PORT', PORT, () =>
    startWaitingServer(says, { host: HOST, port: PORT, tellsReasons: false }),
  );
  return async () => {
    await management.close();
    await api.close();
  };
}

function waitingFor(troubles: Troubles): Record<string, Waiting> {
  const entries = Object.entries(troubles).map(([name, trouble]): [string, Waiting] => [
    name,
    trouble === null ? { state: 'ok' } : { state: 'away', reason: String(describeFailure(trouble)) },
  ]);
  return Object.fromEntries(entries);
}

function areUsable(troubles: Troubles): boolean {
  return Object.values(troubles).every((trouble) => trouble === null);
}

function urlsOf({ env }: Configuration): { readonly database: string; readonly eventStore: string } {
  const { DATABASE_URL: database, EVENTSTORE_URL: eventStore } = env;
  if (database === undefined || eventStore === undefined) throw new Error('this process has no stores of its own');
  return { database, eventStore };
}
