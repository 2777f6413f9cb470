import { describeFailure, opensSealed, readStore } from '@app/composition';
import { findRunningStores, readSecrets } from '@app/data-folder';
import { restoringFolder } from '@app/database-copies';
import { lookAtEventStore } from '@app/event-store';
import { lookAtIssuers } from '@app/http';
import { Database, lookAtDatabase, pendingMigrations, readStoreMigrations } from '@app/read-store';
import {
  Configuration,
  ConfigurationError,
  configurationWarnings,
  createPino,
  fetchWithoutRedirects,
  readConfiguration,
} from '@app/runtime';
import { existsSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { logFindings } from './doctor-log';

/** One thing that was looked at. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'bad';
  /** What was found and, unless it is ok, what to do. */
  readonly says: string;
}

type Environment = NodeJS.ProcessEnv;
type Check = (environment: Environment) => Promise<readonly Finding[]>;

/** The first release of Node that is still mended in 2026. */
const oldestKeptNode = 22;
const freeBytesMin = 256 * 1024 ** 2;
const freeBytesAmple = 2 * 1024 ** 3;
/** Leases and heartbeats go by the database's clock, tokens and due times by this machine's. */
const clockApartMaxMs = 1_000;
const answersWithinMs = 5_000;

const finding = (what: string, state: Finding['state'], says: string): Finding => ({ what, state, says });

/** In the order in which they are to be mended. Each finds its own way to what it looks at, since any of it may be broken. */
export const checks: readonly Check[] = [settings, node, folder, database, events, log, issuers, service];

async function settings(environment: Environment): Promise<readonly Finding[]> {
  try {
    const configuration = readConfiguration(environment);
    const warnings = configurationWarnings(environment, configuration);
    return warnings.length === 0
      ? [finding('settings', 'ok', `mode ${configuration.env.PARLEY_MODE}`)]
      : warnings.map((line) => finding('settings', 'warning', line));
  } catch (error) {
    if (error instanceof ConfigurationError) return problemsOf(error).map((line) => finding('settings', 'bad', line));
    throw error;
  }
}

/** A heading, then a line for each. */
function problemsOf({ message }: ConfigurationError): string[] {
  return message
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}

async function node(): Promise<readonly Finding[]> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return major >= oldestKeptNode
    ? [finding('node', 'ok', process.version)]
    : [finding('node', 'warning', `${process.version} gets no fixes any more: install the present LTS`)];
}

async function folder(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  if (configuration === null) return [];
  const { PARLEY_DATA_DIR: dataDir } = configuration.env;
  if (!existsSync(dataDir)) return [finding('data folder', 'ok', `${dataDir} is not there yet`)];
  if (existsSync(join(dataDir, restoringFolder)))
    return [finding('data folder', 'bad', `a restore into ${dataDir} was cut off: run parley restore again`)];
  const writable = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return [finding('data folder', 'bad', `${dataDir} cannot be written by this user`)];
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const says = `${(free / 1024 ** 3).toFixed(1)} GiB free in ${dataDir}`;
  if (free < freeBytesMin) return [finding('disk', 'bad', `${says}: make room, writes are about to fail`)];
  return [
    finding('disk', free < freeBytesAmple ? 'warning' : 'ok', free < freeBytesAmple ? `${says}: make room` : says),
  ];
}

async function database(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  const url = configuration && (await databaseUrlOf(configuration));
  if (!configuration || !url) return [finding('database', 'ok', 'the embedded one, which does not run')];
  return saying('database', async () => {
    await lookAtDatabase(url);
    const migrations = [...readStoreMigrations, ...readStore.migrations];
    const opened = await Database.connect({ url, poolSize: 2, rows: readStore.rows, migrations });
    try {
      const pending = await pendingMigrations(opened);
      const here = [
        finding(
          'database',
          'ok',
          pending === 0 ? 'schema of this version' : `${pending} migrations that the next start will do`,
        ),
      ];
      return [...here, await clock(opened), ...(pending === 0 ? [await secretKey(opened, configuration)] : [])];
    } finally {
      await opened.close();
    }
  });
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

async function secretKey(opened: Database, configuration: Configuration): Promise<Finding> {
  const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY = (await readSecrets(dataDir))?.secretKey } = configuration.env;
  if (PARLEY_SECRET_KEY === undefined)
    return finding('secret key', 'bad', 'PARLEY_SECRET_KEY is not set: set the one that the stores were made with');
  const withKey = new Configuration({ ...configuration.env, PARLEY_SECRET_KEY });
  return (await opensSealed(opened, withKey))
    ? finding('secret key', 'ok', 'opens what is sealed')
    : finding(
        'secret key',
        'bad',
        'PARLEY_SECRET_KEY does not open what is sealed here: set the one that it was sealed with',
      );
}

async function events(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  const url = configuration && (await eventStoreUrlOf(configuration));
  if (!url) return [finding('event store', 'ok', 'the embedded one, which does not run')];
  return saying('event store', async () => {
    const state = await lookAtEventStore(url);
    return [
      state === 'answers'
        ? finding('event store', 'ok', 'answers')
        : finding('event store', 'bad', 'does not answer: start it, or correct EVENTSTORE_URL'),
    ];
  });
}

async function log(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  return configuration === null ? [] : logFindings(configuration);
}

async function issuers(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  if (configuration === null) return [];
  return saying('identity provider', async () => {
    const looked = await lookAtIssuers(configuration, createPino(configuration, 'http'));
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

/** What the service of this machine says of itself, and who of the deployment is there. */
async function service(environment: Environment): Promise<readonly Finding[]> {
  const configuration = configurationOf(environment);
  if (configuration === null) return [];
  const { MANAGEMENT_HOST: host, MANAGEMENT_PORT: port } = configuration.env;
  const asked = await fetchWithoutRedirects(`http://${host}:${port}/readyz`, {
    signal: AbortSignal.timeout(answersWithinMs),
  }).catch(() => null);
  if (asked === null) return [finding('service', 'warning', `nothing answers on the management port ${host}:${port}`)];
  const says = await asked.text();
  if (asked.status !== 200) return [finding('service', 'bad', `not ready: ${says}`)];
  return [finding('service', says.includes('degraded') ? 'warning' : 'ok', says)];
}

/** Null where the settings are wrong, which another check says. */
function configurationOf(environment: Environment): Configuration | null {
  try {
    return readConfiguration({ ...environment, LOG_LEVEL: 'silent' });
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}

async function databaseUrlOf({ env }: Configuration): Promise<string | undefined> {
  return env.DATABASE_URL ?? (await findRunningStores(env.PARLEY_DATA_DIR))?.databaseUrl;
}

async function eventStoreUrlOf({ env }: Configuration): Promise<string | undefined> {
  return env.EVENTSTORE_URL ?? (await findRunningStores(env.PARLEY_DATA_DIR))?.eventStoreUrl;
}

/** The findings, or what kept them from being found, in the words of a failed start. */
async function saying(what: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const words = describeFailure(error);
    if (typeof words !== 'string') throw error;
    return [finding(what, 'bad', words)];
  }
}
