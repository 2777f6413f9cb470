import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreCheck } from '@app/event-store';
import { checkIssuers, startWaitingServer, type IssuerKeys, type Waiting } from '@app/http';
import { Unavailable } from '@app/kernel';
import { checkDatabase, openDatabase } from '@app/read-store';
import { createPino } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { checkSealing } from './sealing-check';
import { onPort, type RunningProcess } from './serving';
import { readStore } from './slices';
import { describeFailure, isMistake } from './start-failures';

const lookAgainMs = 500;

/** The trouble of each store; null when it can be used. */
type Troubles = Readonly<Record<'database' | 'event store', Error | null>>;

export interface Patience {
  readonly configuration: Configuration;
  /** Whether the process also listens on `PORT`, in addition to the management port. */
  readonly serves: boolean;
  readonly interrupted: AbortSignal;
}

/**
 * Starts a process as soon as its stores can be used, and starts over when one of them becomes unavailable before the start is done. A
 * mistake that is known at once stops the start. A store that does not answer does not stop it: until it answers, the process reports on
 * its ports what it waits for, and afterwards creates the tables. A mistake that shows only then is reported in the log and in `/readyz`
 * for as long as it lasts (docs/decisions/configuration-and-start.md, "Start").
 * @param start gets the issuers of user tokens, once they were checked; none when nothing is served
 * @throws UnfitIssuer, UnfitDatabase, UnfitEventStore, CannotStart
 */
export async function startPatiently(
  patience: Patience,
  start: (issuers: readonly IssuerKeys[]) => Promise<RunningProcess>,
): Promise<RunningProcess> {
  const { configuration, serves } = patience;
  const issuers = serves ? await checkIssuers(configuration, createPino(configuration, 'http')) : [];
  const stores = new GivenStores(configuration);
  try {
    for (let troubles = await stores.firstLook(); ;) {
      if (!areUsable(troubles)) await storesAreUsable(patience, stores, troubles);
      const started = await start(issuers).catch(awayStore);
      if (!(started instanceof Unavailable)) return started;
      troubles = { ...usable, [started.dependency]: started };
    }
  } finally {
    await stores.close();
  }
}

/** Settles when the stores can be used and the tables exist; answers on the ports of the process until then. */
async function storesAreUsable(
  { configuration, serves, interrupted }: Patience,
  stores: GivenStores,
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
      troubles = await stores.look(!isPrepared);
      isPrepared ||= troubles.database === null;
    }
    log.info('the stores are there: the start goes on');
  } finally {
    await close();
  }
}

/** Both stores, as named in the configuration. */
class GivenStores {
  private readonly databaseUrl: string;
  private readonly eventStore: EventStoreCheck;

  /** @throws UnfitEventStore */
  constructor(private readonly configuration: Configuration) {
    const { DATABASE_URL, EVENTSTORE_URL } = configuration.env;
    if (DATABASE_URL === undefined || EVENTSTORE_URL === undefined)
      throw new Error('this process has no stores of its own');
    this.databaseUrl = DATABASE_URL;
    this.eventStore = new EventStoreCheck(EVENTSTORE_URL);
  }

  /** @throws UnfitDatabase, UnfitEventStore */
  async firstLook(): Promise<Troubles> {
    let troubles = await this.look(false);
    // Missing rights and a different key show only when the tables are created; with both stores available, the start itself does that.
    if (troubles.database === null && !areUsable(troubles))
      troubles = { ...troubles, database: await troubleOf(prepareDatabase(this.configuration)) };
    const mistake = Object.values(troubles).find(isMistake);
    if (mistake !== undefined) throw mistake;
    return troubles;
  }

  /** Checks both. @throws errors other than a mistake or an unavailable store */
  async look(prepares: boolean): Promise<Troubles> {
    const database = prepares ? prepareDatabase(this.configuration) : checkDatabase(this.databaseUrl);
    const [ofDatabase, ofEventStore] = await Promise.all([database, this.checkEventStore()].map(troubleOf));
    return { database: ofDatabase ?? null, 'event store': ofEventStore ?? null };
  }

  async close(): Promise<void> {
    await this.eventStore.close();
  }

  private async checkEventStore(): Promise<void> {
    if ((await this.eventStore.check()) === 'away') throw new Unavailable('event store');
  }
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

/** Prepares the database as a start does, early, while a failure can still be reported at the start. */
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

const usable: Troubles = { database: null, 'event store': null };

/** A store that became unavailable again during the start. @throws any other failure */
function awayStore(error: unknown): Unavailable {
  if (error instanceof Unavailable && Object.hasOwn(usable, error.dependency)) return error;
  throw error;
}

function areUsable(troubles: Troubles): boolean {
  return Object.values(troubles).every((trouble) => trouble === null);
}
