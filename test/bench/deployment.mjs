// Parley as one machine runs it: PostgreSQL, the event store, and api and worker as one process; the load comes from this process.
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstLine, freePort, startNode, stop } from './processes.mjs';
import { connectEventStore, ensureDatabase, program, startEmbeddedPostgres } from './product.mjs';

const readyWithinMs = 60_000;
const shownWithinMs = 60_000;
const pollMs = 25;
/** Far above the load of one machine, so that limits are counted but never reached. */
const unreached = '100000000';
/** Settings of a deployment whose limits are never reached. */
export const unreachedLimits = {
  RATE_LIMIT_KEY_PER_MINUTE: unreached,
  RATE_LIMIT_USER_PER_MINUTE: unreached,
  RATE_LIMIT_OPERATOR_PER_MINUTE: unreached,
  REQUESTS_AT_ONCE: unreached,
  BUDGET_DAY_CENTS: unreached,
  BUDGET_MONTH_CENTS: unreached,
  EXECUTION_CAPACITY: unreached,
  AUTOMATIONS_PER_USER: unreached,
  CONVERSATIONS_PER_USER: unreached,
};
const streamsMax = '2000';
const audience = 'parley';

/**
 * Starts everything in a temporary folder. The server has a second database for the baselines, next to the product's.
 * @param {{nodeArgs?: string[], env?: object, store?: {args?: string[], env?: object}}} options additional arguments of
 * Node and environment of the serving process, and of the event store
 */
export async function startDeployment({ nodeArgs = [], env = {}, store: storeOptions = {} } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-bench-'));
  const stopping = [async () => rmSync(folder, { recursive: true, force: true })];
  const stopAll = async () => {
    for (const step of stopping.splice(0).reverse()) await step();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres') });
    stopping.push(() => postgres.stop());
    for (const name of ['parley', 'baseline']) await ensureDatabase(postgres.url('postgres'), name);

    const storeUrl = `unix:${path.join(folder, 'events.sock')}`;
    const stores = { DATABASE_URL: postgres.url('parley'), EVENTSTORE_URL: storeUrl };
    const store = await startEventStore(folder, stores, storeOptions);
    stopping.push(() => stop(store));

    const api = await startApi(folder, { ...stores, ...env }, nodeArgs);
    stopping.push(() => stop(api.child));
    const client = connectEventStore(storeUrl);
    stopping.push(() => client.dispose());
    const [postgresPid] = readFileSync(path.join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')
      .split('\n')
      .map(Number);
    return {
      ...api,
      store,
      client,
      /** Starts another worker on the same stores. It ends with `stop` of processes.mjs, or with the deployment. */
      startWorker: async (given) => {
        const worker = await startWorker(folder, { ...stores, PARLEY_SECRET_KEY: secretKey(folder), ...env, ...given });
        stopping.push(() => stop(worker));
        return worker;
      },
      stores: { ...stores, PARLEY_SECRET_KEY: secretKey(folder) },
      baselineDatabaseUrl: postgres.url('baseline'),
      /** The environment of a baseline's server: its database, and the credentials that this deployment accepts. */
      baselineEnv: { DATABASE_URL: postgres.url('baseline'), ...(await api.credentials()) },
      postgresPid,
      /** The processes whose CPU an operation's CPU is the sum of (cpu.mjs). */
      processes: { 'api and worker': api.child.pid, 'event store': store.pid, PostgreSQL: postgresPid },
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function startEventStore(folder, { DATABASE_URL, EVENTSTORE_URL }, { args = [], env: given = {} }) {
  const parent = { EVENT_STORE_PARENT_PID: String(process.pid) };
  const env = { DATABASE_URL, EVENT_STORE_LISTEN: EVENTSTORE_URL, ...parent, ...given };
  const child = startNode('event store', program('event-store'), {
    env,
    args,
    stderr: openSync(path.join(folder, 'store.log'), 'w'),
  });
  await firstLine(child);
  return child;
}

async function startApi(folder, given, args) {
  const logFile = path.join(folder, 'parley.log');
  const env = {
    PARLEY_DATA_DIR: path.join(folder, 'parley'),
    PORT: String(await freePort()),
    MANAGEMENT_PORT: String(await freePort()),
    ...unreachedLimits,
    OIDC_AUDIENCE: audience,
    STREAMS_PER_USER: streamsMax,
    STREAMS_PER_REPLICA: streamsMax,
    // The default of a deployment; npm start alone is quieter in sandbox mode.
    LOG_LEVEL: 'info',
    ...given,
  };
  const log = openSync(logFile, 'w');
  const child = startNode('api and worker', program('standalone'), {
    env,
    args,
    cwd: folder,
    stdout: log,
    stderr: log,
  });
  const access = await accessTo(path.join(env.PARLEY_DATA_DIR, 'sandbox.json'), child, logFile);
  const { baseUrl } = access;
  // The sandbox's model writes at a reader's pace by default. The service is measured, so the model must not delay it.
  await send(`${baseUrl}/sandbox/v1/faults`, 'PUT', {}, { model: { delayMs: 0 } });
  return {
    child,
    baseUrl,
    credentials: () => credentialsOf(access),
    newUser: (subject) => newUser(access, subject),
    /** Moves the service's clock. Returns `{now}`, its new time. */
    moveClock: (advanceSeconds) => send(`${baseUrl}/sandbox/v1/clock`, 'POST', {}, { advanceSeconds }),
  };
}

async function startWorker(folder, given) {
  const managementPort = await freePort();
  return startNode('worker', program('worker'), {
    env: {
      PARLEY_MODE: 'sandbox',
      PARLEY_DATA_DIR: path.join(folder, 'parley'),
      MANAGEMENT_PORT: String(managementPort),
      OIDC_AUDIENCE: audience,
      LOG_LEVEL: 'info',
      ...given,
    },
    cwd: folder,
    stdout: openSync(path.join(folder, `worker-${managementPort}.log`), 'w'),
    stderr: 'inherit',
  });
}

/** The file that the product writes when it is ready to be called. */
async function accessTo(file, child, logFile) {
  const deadline = performance.now() + readyWithinMs;
  while (child.exitCode === null && performance.now() < deadline) {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    await sleep(pollMs);
  }
  throw new Error(`Parley did not become ready:\n${readFileSync(logFile, 'utf8')}`);
}

/** Provisions a user: its path, and the headers of its requests. */
async function newUser({ baseUrl, partnerKey }, subject) {
  const minted = await send(`${baseUrl}/sandbox/v1/tokens`, 'POST', {}, { subject, expiresInSeconds: 86_400 });
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${minted.accessToken}` };
  const { userId } = await send(`${baseUrl}/v1/users`, 'POST', headers);
  const url = `${baseUrl}/v1/users/${userId}`;
  return {
    userId,
    headers,
    url,
    get: (suffix) => send(url + suffix, 'GET', headers),
    post: (suffix, body) => send(url + suffix, 'POST', headers, body),
  };
}

/** The credentials by which a server can verify that a request comes from a partner, for one of its users. */
async function credentialsOf({ baseUrl, partnerKey }) {
  const issuer = `${baseUrl}/sandbox/issuer`;
  const discovered = await send(`${issuer}/.well-known/openid-configuration`, 'GET', {});
  const keys = await send(discovered.jwks_uri, 'GET', {});
  return { PARTNER_KEY: partnerKey, ISSUER: discovered.issuer, ISSUER_KEYS: JSON.stringify(keys), AUDIENCE: audience };
}

/**
 * Sends a request. Repeats a read that answers 503, because a benchmark may be ahead of the read models of a slow
 * machine.
 */
async function send(url, method, headers, body) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const deadline = performance.now() + shownWithinMs;
  for (;;) {
    const response = await fetch(url, { method, headers: { ...headers, ...type }, ...json });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const notYet = method === 'GET' && response.status === 503 && performance.now() < deadline;
    if (!notYet) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    await sleep(pollMs);
  }
}

function secretKey(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'parley', 'secrets.json'), 'utf8')).secretKey;
}
