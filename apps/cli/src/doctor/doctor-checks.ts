import { describeFailure, readStore } from '@app/composition';
import { embeddedPostgresFolder, findRunningStores } from '@app/data-folder';
import { accessWarning, checkEventStore, checkStreamAccess, EventStore } from '@app/event-store';
import { checkIssuers } from '@app/http';
import { checkDatabase, Database, pendingMigrations, readStoreMigrations } from '@app/read-store';
import { ConfigurationError, createPino } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { configurationWarnings, readConfiguration } from '@app/settings';
import { existsSync } from 'node:fs';
import { finding, findingsOf, type Finding } from './doctor-finding';
import { folderFindings } from './doctor-folders';
import { keysFindings } from './doctor-keys';
import { logFindings, logOrigin } from './doctor-log';
import { secretKeyFinding } from './doctor-secret';
import { serviceFinding } from './doctor-service';
import { halfFindings, storesOf } from './doctor-stores';
import { witnessFindings } from './doctor-witnesses';
import { wordsFindings } from './doctor-words';
import { reasonIn } from '../terminal/outcome';

type Environment = NodeJS.ProcessEnv;
type Check = (environment: Environment) => Promise<readonly Finding[]>;

/** The oldest release of Node that still gets fixes in 2026. */
const oldestKeptNode = 22;
/** Leases and heartbeats use the database's clock, tokens and due times this machine's. */
const clockApartMaxMs = 1_000;

/** In the order in which to fix them. Each check opens what it needs by itself, because any of it may be broken. */
export const checks: readonly Check[] = [
  settings,
  node,
  folder,
  configured(halfFindings),
  configured(database),
  configured(events),
  configured(wordsFindings),
  configured(logFindings),
  configured(witnesses),
  configured(issuers),
  configured(service),
];

type ConfiguredCheck = (configuration: Configuration, environment: Environment) => Promise<readonly Finding[]>;

/** A check that finds nothing while the settings are wrong, which another check reports. */
function configured(check: ConfiguredCheck): Check {
  return async (environment) => {
    const configuration = configurationOf(environment);
    return configuration === null ? [] : check(configuration, environment);
  };
}

async function settings(environment: Environment): Promise<readonly Finding[]> {
  const missing = (await missingOfProduction(environment)).map((name) =>
    finding('settings', 'bad', `${name}: must be set in production; only npm start brings stores of its own`),
  );
  try {
    const configuration = readConfiguration(environment);
    if (missing.length > 0) return missing;
    const warnings = configurationWarnings(environment, configuration);
    return warnings.length === 0
      ? [finding('settings', 'ok', `mode ${configuration.env.PARLEY_MODE}`)]
      : warnings.map((line) => finding('settings', 'warning', line));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [...problemsOf(error).map((line) => finding('settings', 'bad', line)), ...missing];
  }
}

/** The addresses of stores that production needs and that are not set, unless the data folder holds or runs embedded ones. */
async function missingOfProduction(environment: Environment): Promise<readonly string[]> {
  if (environment['PARLEY_MODE'] !== 'production') return [];
  const dataDir = dataDirOf(environment);
  if (existsSync(embeddedPostgresFolder(dataDir)) || (await findRunningStores(dataDir)) !== null) return [];
  return ['DATABASE_URL', 'EVENTSTORE_URL'].filter((name) => (environment[name] ?? '') === '');
}

/** The problems without the heading; one line for each. */
function problemsOf({ message }: ConfigurationError): string[] {
  const [, ...problems] = message.split('\n');
  return problems.map((line) => line.trim());
}

async function node(): Promise<readonly Finding[]> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return major >= oldestKeptNode
    ? [finding('node', 'ok', process.version)]
    : [finding('node', 'warning', `${process.version} gets no fixes any more: install the present LTS`)];
}

async function folder(environment: Environment): Promise<readonly Finding[]> {
  return folderFindings(dataDirOf(environment));
}

/** Works even when other settings are wrong. */
function dataDirOf({ PARLEY_DATA_DIR: dataDir = '' }: Environment): string {
  return readConfiguration(dataDir === '' ? {} : { PARLEY_DATA_DIR: dataDir }).env.PARLEY_DATA_DIR;
}

async function database(configuration: Configuration, environment: Environment): Promise<readonly Finding[]> {
  const url = (await storesOf(configuration))?.databaseUrl;
  if (url === undefined) return absent('database', 'DATABASE_URL', environment);
  return saying('database', async () => {
    await checkDatabase(url);
    const { rows, projections } = readStore;
    const migrations = [...readStoreMigrations, ...readStore.migrations];
    const opened = await Database.connect({ url, poolSize: 2, rows, migrations, projections });
    try {
      const pending = await pendingMigrations(opened);
      const says = pending === 0 ? 'schema of this version' : `${pending} migrations that the next start will do`;
      const here = [finding('database', 'ok', says), await clock(opened)];
      if (pending > 0) return here;
      return [...here, await secretKeyFinding(opened, configuration), ...(await keysFindings(opened))];
    } finally {
      await opened.close();
    }
  });
}

/** Reports nothing for a store that production needs and that is not set, because the settings check reports it. */
async function absent(what: string, variable: string, environment: Environment): Promise<readonly Finding[]> {
  const isMissing = (await missingOfProduction(environment)).includes(variable);
  return isMissing ? [] : [finding(what, 'ok', 'the embedded one, which does not run')];
}

async function clock(opened: Database): Promise<Finding> {
  const askedAtMs = Date.now();
  const [row] = await opened.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
  );
  const apartMs = Math.abs((row?.ms ?? 0) - (askedAtMs + Date.now()) / 2);
  const says = `${(apartMs / 1000).toFixed(1)} s apart from the database's`;
  return apartMs <= clockApartMaxMs
    ? finding('clock', 'ok', says)
    : finding('clock', 'bad', `${says}: run a time service (NTP) on both machines`);
}

async function events(configuration: Configuration, environment: Environment): Promise<readonly Finding[]> {
  const url = (await storesOf(configuration))?.eventStoreUrl;
  if (url === undefined) return absent('event store', 'EVENTSTORE_URL', environment);
  return saying('event store', async () => {
    if ((await checkEventStore(url)) === 'away')
      return [finding('event store', 'bad', 'does not answer: start it, or correct EVENTSTORE_URL')];
    return [finding('event store', 'ok', 'answers'), ...(await accessFindings(url))];
  });
}

async function issuers(configuration: Configuration): Promise<readonly Finding[]> {
  return saying('identity provider', async () => {
    const looked = await checkIssuers(configuration, createPino(configuration, 'http'));
    const others = looked.filter(({ issuer }) => !configuration.isOwnIssuer(issuer));
    if (others.length === 0) return [finding('identity provider', 'ok', "the sandbox's own")];
    return Promise.all(
      others.map(async (one) =>
        (await one.state()) === 'ok'
          ? finding('identity provider', 'ok', one.issuer)
          : finding('identity provider', 'bad', `${one.issuer} does not answer with its keys: look whether it runs`),
      ),
    );
  });
}

async function witnesses(configuration: Configuration): Promise<readonly Finding[]> {
  const { WITNESSES } = configuration.env;
  return WITNESSES.length === 0 ? [] : witnessFindings(WITNESSES, await logOrigin(configuration));
}

async function service(configuration: Configuration, environment: Environment): Promise<readonly Finding[]> {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = configuration.env;
  if (PORT === MANAGEMENT_PORT && PORT !== 0 && overlap(HOST, MANAGEMENT_HOST))
    return [
      finding('ports', 'warning', `an api needs both PORT and MANAGEMENT_PORT, and both are ${PORT}: change one`),
    ];
  const here = await findRunningStores(dataDirOf(environment));
  // With stores that the environment names, the service may run without this data folder.
  const mayRun = here !== null || (await storesOf(configuration))?.databaseUrl !== undefined;
  return [await serviceFinding(MANAGEMENT_HOST, here?.managementPort ?? MANAGEMENT_PORT, mayRun)];
}

/** Whether two listening addresses overlap. */
function overlap(one: string, other: string): boolean {
  return one === other || [one, other].some((host) => host === '0.0.0.0' || host === '::');
}

/** Null when the settings are wrong. */
function configurationOf(environment: Environment): Configuration | null {
  try {
    return readConfiguration({ ...environment, LOG_LEVEL: 'silent' });
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}

/** Returns the findings, or the reason why they could not be found, in the words of a failed start. */
async function saying(what: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const words = describeFailure(error);
    if (typeof words !== 'string') throw error;
    return [finding(what, 'bad', words)];
  }
}

/** Whether the event store lets anyone but the service's own account and its administrators harm streams. Changes nothing. */
async function accessFindings(url: string): Promise<readonly Finding[]> {
  const { ok, warning } = findingsOf('stream access');
  const store = EventStore.connect(url);
  try {
    const access = await checkStreamAccess(url, store.client);
    const trouble = accessWarning(access);
    if (trouble !== null) return [warning(trouble)];
    return access.kind === 'own'
      ? []
      : [ok('by the default list nobody else writes, deletes or truncates; lists of single streams are in the log')];
  } catch (error) {
    return [warning(`it is not known who may delete streams: ${reasonIn(error)}`)];
  } finally {
    await store.dispose();
  }
}
