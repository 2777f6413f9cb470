import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_STREAM } from '@eventstore/db-client';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { created, renamed } from '../conversations.mjs';
import { startDeployment } from '../deployment.mjs';
import { post } from '../http-client.mjs';

const inFlight = 64;
/** Each conversation is created and then renamed three times. */
const eventsPerStream = 4;
const lookEveryMs = 50;
const readyWithinMs = 300_000;
const readModels = ['conversations', 'activity'];
/** With this many clients a rebuild never ended before rebuilds kept pace with writes. */
const clients = 4;

/**
 * Read models of conversations, rebuilt next to the live ones while the service runs, as an operator requests it: read,
 * folded, copied into a table, indexed, caught up and compared. The baseline is COPY of the same rows into tables that
 * get the same indexes.
 */
export const rebuilds = {
  number: 11,
  name: `rebuild of ${readModels.length} read models`,
  against: 'COPY of the same rows',
  figures: [{ key: 'perSecond', unit: 'events/s', better: 'more', aim: 0.5, floor: 0.3 }],

  /** Starts a separate deployment, because a rebuild reads every event of the store. */
  async open(_, { rebuiltEvents }) {
    const deployment = await startDeployment();
    const { client, stores, baseUrl } = deployment;
    await fill(client, rebuiltEvents);
    const operator = await operatorOf(baseUrl);
    const database = new pg.Client({ connectionString: stores.DATABASE_URL });
    await database.connect();
    return {
      ours: () => timed(rebuiltEvents, () => rebuild(operator)),
      baseline: async () => {
        const texts = [];
        for (const table of readModels) texts.push(await textOf(database, table));
        return timed(rebuiltEvents, () => copyAll(database, texts));
      },
      close: async () => {
        await database.end();
        await deployment.stop();
      },
    };
  },
};

/**
 * A read model that is rebuilt while clients in a closed loop write as fast as they are answered: the events it passes
 * a second, against those appended a second meanwhile. Below 1 the rebuild would never end; the specification demands
 * 2.
 */
export const rebuildAtSaturation = {
  number: 22,
  name: `rebuild of a read model at saturation (${clients} clients in a closed loop)`,
  against: 'the events appended meanwhile',
  figures: [{ key: 'perSecond', unit: 'events/s', better: 'more', aim: 2, floor: 2 }],

  async open(_, { rebuiltEvents }) {
    const deployment = await startDeployment();
    await fill(deployment.client, rebuiltEvents);
    const operator = await operatorOf(deployment.baseUrl);
    const user = await deployment.newUser('saturating');
    let appendedPerSecond = null;
    return {
      ours: async () => {
        const { passed, appended, seconds } = await besideClients(user, () => rebuildOne(operator));
        appendedPerSecond = appended / seconds;
        return { perSecond: passed / seconds };
      },
      baseline: async () => ({ perSecond: appendedPerSecond }),
      close: () => deployment.stop(),
    };
  },
};

/** Runs `work` while clients create conversations, each the next one as soon as the last was answered. */
async function besideClients({ url, headers }, work) {
  let [isOver, appended] = [false, 0];
  const client = async () => {
    for (; !isOver; appended += 1) await post(`${url}/conversations`, headers, {});
  };
  const loops = Array.from({ length: clients }, client);
  const [startedMs, before] = [performance.now(), appended];
  const passed = await work().finally(() => (isOver = true));
  const seconds = (performance.now() - startedMs) / 1000;
  await Promise.all(loops);
  return { passed, appended: appended - before, seconds };
}

/** @returns the position up to which the read model is built */
async function rebuildOne(operator) {
  const { rebuildId } = await operator.post(`/projections/${readModels[0]}/rebuild`);
  await untilReady(operator, rebuildId);
  const { comparedAt } = await operator.get(`/rebuilds/${rebuildId}`);
  await operator.post(`/rebuilds/${rebuildId}/discard`);
  return comparedAt;
}

async function timed(events, work) {
  const startedMs = performance.now();
  await work();
  return { perSecond: (events * 1000) / (performance.now() - startedMs) };
}

async function fill(client, events) {
  let streams = Math.ceil(events / eventsPerStream);
  const lane = async () => {
    while (streams-- > 0) {
      const first = created();
      const others = Array.from({ length: eventsPerStream - 1 }, (_, n) => renamed(n + 1));
      await client.appendToStream(`conversation-${randomUUID()}`, [first, ...others], { expectedRevision: NO_STREAM });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

async function operatorOf(baseUrl) {
  const asked = { subject: 'bench', scopes: ['projections'] };
  const minted = await post(`${baseUrl}/sandbox/v1/operator-tokens`, {}, asked);
  const headers = { authorization: `Bearer ${minted.accessToken}` };
  const at = (path) => `${baseUrl}/operator/v1${path}`;
  return {
    post: (path) => post(at(path), headers, { reason: 'a benchmark' }),
    get: async (path) => (await fetch(at(path), { headers })).json(),
  };
}

async function rebuild(operator) {
  const begun = [];
  for (const name of readModels) begun.push(await operator.post(`/projections/${name}/rebuild`));
  for (const { rebuildId } of begun) await untilReady(operator, rebuildId);
  for (const { rebuildId } of begun) await operator.post(`/rebuilds/${rebuildId}/discard`);
}

async function untilReady(operator, rebuildId) {
  const deadlineMs = performance.now() + readyWithinMs;
  for (;;) {
    const { state, differences } = await operator.get(`/rebuilds/${rebuildId}`);
    if (state === 'failed' || performance.now() > deadlineMs) throw new Error(`the rebuild is ${state}`);
    if (state === 'ready' && differences.missing + differences.extra + differences.changed === 0) return;
    if (state === 'ready') throw new Error('the rebuild differs');
    await sleep(lookEveryMs);
  }
}

/** The rows of a table in COPY's own format. */
async function textOf(database, table) {
  const chunks = [];
  const kept = new PassThrough().on('data', (chunk) => chunks.push(chunk));
  await pipeline(database.query(copyTo(`COPY ${table} TO STDOUT`)), kept);
  return { table, text: Buffer.concat(chunks) };
}

async function copyAll(database, texts) {
  for (const { table, text } of texts) {
    await database.query(`CREATE TABLE bench_copy (LIKE ${table})`);
    await pipeline([text], database.query(copyFrom('COPY bench_copy FROM STDIN')));
    const { rows } = await database.query(
      `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = $1::regclass`,
      [table],
    );
    for (const [number, { definition }] of rows.entries())
      await database.query(definition.replace(/INDEX \S+ ON \S+/, `INDEX bench_copy_${number} ON bench_copy`));
    await database.query('DROP TABLE bench_copy');
  }
}
