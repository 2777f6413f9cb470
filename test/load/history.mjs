// A history of many events, multiplied from a short real one: each copy repeats its events for other users.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startDay } from './day.mjs';
import { Ledger } from './ledger.mjs';
import { Recorder } from './recorder.mjs';
import { auditStores } from './store-audit.mjs';

/** The rate of the mixed day in the short history. */
const day = { rate: 20 };
const projectedWithinMs = 1_800_000;
const lookAgainMs = 500;
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';

/**
 * Runs the mixed day of the users for so many seconds, and waits until nothing is in flight.
 * @throws Error naming whatever the audit finds wrong
 */
export async function shortHistory({ stores }, users, seconds) {
  const [ledger, recorder] = [new Ledger(), new Recorder()];
  const { signal } = new AbortController();
  const living = startDay({ ...day, seconds, users, ledger, recorder, signal });
  await Promise.all([living.ended, ...users.map(livesBeside)]);
  // Operations that failed because the machine was slow, such as a rule whose time had passed on creation, do not
  // matter.
  const findings = await auditStores(stores, ledger);
  if (findings.length > 0) throw new Error(`the short history is wrong:\n${findings.join('\n')}`);
}

/** Operations that the mixed day lacks: a file, a title, a withdrawal by the user alone, an archived conversation. */
async function livesBeside(user) {
  const { id } = await user.post('/conversations', { title: 'Papers' });
  await user.upload(`/conversations/${id}/artifacts?name=${randomUUID()}.txt`, 'a few words');
  await user.ask('PATCH', `/conversations/${id}`, { title: 'Papers and more' });
  const { operationId, fingerprint } = await user.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '10000' });
  await user.post(`/wallet/withdrawals/${operationId}/confirm`, { fingerprint });
  const old = await user.post('/conversations', { title: 'Old' });
  await user.post(`/conversations/${old.id}/archive`);
}

/**
 * Multiplies the events of users and their resources until there are `events` of them. Ids keep their form and, in
 * version 7, their time; a random part of each is replaced by the number of the copy. Nothing may write meanwhile, so
 * the event store and the product must not run.
 * @returns {Promise<number>} the number of events after that
 */
export async function multiply({ stores }, events) {
  const database = new pg.Client({ connectionString: stores.DATABASE_URL });
  await database.connect();
  try {
    await database.query(copyOf);
    const { rows } =
      await database.query(`SELECT count(*)::int AS base, (SELECT max(global_position) FROM event_store.events)::int AS last
      FROM event_store.events WHERE ${multiplied}`);
    const [{ base, last }] = rows;
    const copies = Math.max(0, Math.ceil((events - last) / base));
    if (copies > 0) await database.query(insertCopies, [copies, last, base]);
    await database.query('ANALYZE event_store.events');
    // The checkpoints of the reactors move past the copies, so that a copy of a finished operation starts nothing.
    await database.query(
      'UPDATE reactor_checkpoints SET position = (SELECT max(global_position) FROM event_store.events)',
    );
    await database.query('CHECKPOINT');
    return last + copies * base;
  } finally {
    await database.end();
  }
}

/** Keys, identities, operators and the deployment are not copied. */
const multiplied = `stream !~ '^([$]|partner|identity|deployment|operator|audit)'`;

const copyOf = `CREATE FUNCTION pg_temp.copy_of(original text, copy bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT regexp_replace(original, '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-)[0-9a-f]{6}([0-9a-f]{6})',
    '\\1' || lpad(to_hex(copy), 6, '0') || '\\2', 'g') $$`;

const insertCopies = `
  INSERT INTO event_store.events (global_position, stream, revision, event_id, type, is_json, data, metadata, created_ms)
  SELECT $2 + (copy - 1) * $3 + number, pg_temp.copy_of(stream, copy), revision, pg_temp.copy_of(event_id::text, copy)::uuid, type, is_json,
    convert_to(pg_temp.copy_of(convert_from(data, 'UTF8'), copy), 'UTF8'),
    convert_to(pg_temp.copy_of(convert_from(metadata, 'UTF8'), copy), 'UTF8'), created_ms
  FROM generate_series(1, $1::bigint) AS copy,
    LATERAL (SELECT *, row_number() OVER (ORDER BY global_position) AS number FROM event_store.events WHERE ${multiplied} AND global_position <= $2) AS base`;

/**
 * Waits until every read model has processed all events.
 * @returns their names
 */
export async function untilProjected(operator) {
  const deadlineMs = performance.now() + projectedWithinMs;
  for (;;) {
    const projections = await operator.projections();
    const behind = projections.filter(({ lag, state }) => state !== 'live' || lag.positions > 0);
    if (behind.length === 0) return projections.map(({ name }) => name);
    const broken = behind.find(({ state }) => state === 'stalled');
    if (broken !== undefined) throw new Error(`${broken.name} has stopped: ${JSON.stringify(broken.stalled)}`);
    if (performance.now() > deadlineMs) throw new Error(`read models are behind: ${JSON.stringify(behind)}`);
    await sleep(lookAgainMs);
  }
}
