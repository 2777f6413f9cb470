// A deployment whose processes can be killed and restarted: as with `npm start` (api and worker in one), or with
// separate roles.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreachedLimits } from '../bench/deployment.mjs';
import { firstLine, freePort, startNode, stop } from '../bench/processes.mjs';
import { ensureDatabase, program, startEmbeddedPostgres } from '../bench/product.mjs';
import { operatorOf } from './operator.mjs';
import { asUsual } from './priority.mjs';

const readyWithinMs = 120_000;
const lookAgainMs = 50;
const workersApart = 2;

/**
 * The distribution of the roles over processes: `together` as with `npm start`, `apart` as in docker/compose.yaml, with
 * two workers.
 */
export const layouts = ['together', 'apart'];

/** Starts PostgreSQL, the event store, and the processes of the layout, in a temporary folder. */
export async function startLayout(layout) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-layout-'));
  const undo = [() => rmSync(folder, { recursive: true, force: true })];
  const stopAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres') });
    undo.push(() => postgres.stop());
    await ensureDatabase(postgres.url('postgres'), 'parley');
    const stores = { DATABASE_URL: postgres.url('parley'), EVENTSTORE_URL: `unix:${path.join(folder, 'events.sock')}` };
    const env = await environment(folder, stores);
    const parts = new Parts(folder, env, layout);
    undo.push(() => parts.stop());
    await parts.start();
    const { PARLEY_SECRET_KEY } = env;
    return { layout, folder, parts, baseUrl: parts.baseUrl, stores: { ...stores, PARLEY_SECRET_KEY }, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function environment(folder, stores) {
  const port = await freePort();
  return {
    ...stores,
    PARLEY_MODE: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    OIDC_ISSUER: `http://127.0.0.1:${port}/sandbox/issuer`,
    PARLEY_DATA_DIR: path.join(folder, 'data'),
    PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'warn',
    ...unreachedLimits,
  };
}

/** The product's processes. */
class Parts {
  store = null;
  api = null;
  /**
   * The worker processes by the id that the deployment gives each. In the layout `together` the only one is the api as
   * well.
   */
  workers = new Map();

  constructor(folder, env, layout) {
    this.folder = folder;
    this.env = env;
    this.layout = layout;
    this.baseUrl = `http://127.0.0.1:${env.PORT}`;
  }

  async start() {
    this.store = this.spawn('event-store', {
      DATABASE_URL: this.env.DATABASE_URL,
      EVENT_STORE_LISTEN: this.env.EVENTSTORE_URL,
    });
    await firstLine(this.store);
    if (this.layout === 'apart') this.api = await this.spawnServing('api');
    for (let n = 0; n < (this.layout === 'apart' ? workersApart : 1); n += 1) await this.startWorker();
    await this.untilReady();
  }

  async stop() {
    for (const worker of this.workers.values()) await stop(worker);
    this.workers.clear();
    if (this.api !== null) await stop(this.api);
    if (this.store !== null) await stop(this.store);
  }

  /** Kills the process with this id by SIGKILL, as a crash would, and starts another. Resolves once that is ready. */
  async replace(processId) {
    const victim = this.workers.get(processId);
    this.workers.delete(processId);
    const ended = once(victim, 'exit');
    victim.kill('SIGKILL');
    await ended;
    await this.startWorker();
    await this.untilReady();
  }

  async startWorker() {
    const known = new Set(this.workers.keys());
    const startedMs = Date.now();
    const child = await this.spawnServing(this.layout === 'apart' ? 'worker' : 'standalone');
    if (this.api === null) await this.untilReady(child);
    const operator = await operatorOf(this.baseUrl);
    const isNew = ({ processId, worker, startedAt }) =>
      worker && !known.has(processId) && Date.parse(startedAt) >= startedMs;
    const found = await this.until(
      'a new worker',
      async () => (await operator.deployment()).processes.find(isNew),
      child,
    );
    this.workers.set(found.processId, child);
  }

  untilReady(child) {
    const look = async () => (await fetch(`${this.baseUrl}/readyz`)).ok;
    return this.until('a ready service', () => look().catch(() => false), child);
  }

  async spawnServing(app) {
    return this.spawn(app, { ...this.env, MANAGEMENT_PORT: String(await freePort()) });
  }

  spawn(app, env) {
    const log = openSync(this.logOf(app), 'a');
    const stdout = app === 'event-store' ? 'pipe' : log;
    return asUsual(startNode(app, program(app), { env, cwd: this.folder, stdout, stderr: log }));
  }

  logOf(app) {
    return path.join(this.folder, `${app}.log`);
  }

  async until(what, look, child = null) {
    const deadlineMs = performance.now() + readyWithinMs;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (performance.now() > deadlineMs || (child !== null && child.exitCode !== null))
        throw new Error(
          `there is not ${what}:\n${this.layout === 'apart' ? this.tail('api') + this.tail('worker') : this.tail('standalone')}`,
        );
      await sleep(lookAgainMs);
    }
  }

  tail(app) {
    return readFileSync(this.logOf(app), 'utf8').slice(-4_000);
  }
}
