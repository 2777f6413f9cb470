import { heldConnection, noticeLostClient } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endConnection, socketOf } from './silent-servers';

const retryMs = 300;
const connectTimeoutMs = 5_000;
/** A leader that does not say a word for this long has been stopped or is stuck; PostgreSQL then ends its connection. */
const silenceMs = 5_000;
const pingMs = 1_000;
const logger = new Logger('Leadership');

/** Work that only one process of the deployment may do at a time, by its lock in PostgreSQL. */
export const leaderLocks = {
  migrations: 7_265_001,
  projector: 7_265_002,
  segments: 7_265_003,
  watchdog: 7_265_004,
  copies: 7_265_005,
  firing: 7_265_006,
  contractUses: 7_265_009,
} as const;

/**
 * Runs the body whenever this process holds the lock, until the signal aborts; starts over, after a pause, whenever it breaks.
 * The lock lives on a connection of its own: when that ends, the body's signal aborts, and another process takes over.
 * It ends with the process, and under a process that hangs.
 */
export async function keepLeading(
  databaseUrl: string,
  lock: keyof typeof leaderLocks,
  signal: AbortSignal,
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await lead(databaseUrl, leaderLocks[lock], signal, body);
    } catch (error) {
      logger.warn(`${lock} stopped and is tried again: ${error instanceof Error ? error.message : 'unknown'}`);
    }
    await sleep(retryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
}

async function lead(
  databaseUrl: string,
  key: number,
  signal: AbortSignal,
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const holder = new Client({
    connectionString: databaseUrl,
    application_name: 'parley leader',
    connectionTimeoutMillis: connectTimeoutMs,
    // A server that does not answer has ended this session, or is lost: another process may lead by now.
    query_timeout: silenceMs,
    ...heldConnection,
  });
  const lost = new AbortController();
  holder.on('error', () => lost.abort());
  holder.on('end', () => lost.abort());
  await holder.connect();
  const leading = AbortSignal.any([signal, lost.signal]);
  const over = new AbortController();
  try {
    await holder.query(`SET idle_session_timeout = ${silenceMs}; ${noticeLostClient}`);
    if (!(await obtained(holder, key, leading))) return;
    void keepAsking(holder, over.signal).catch(() => lost.abort());
    await body(leading);
  } finally {
    over.abort();
    if (lost.signal.aborted) socketOf(holder).destroy();
    else await endConnection(holder);
  }
}

/** Says now and then that this process lives. Throws when the server does not answer. */
async function keepAsking(holder: Client, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await holder.query('SELECT 1');
    await sleep(pingMs, undefined, { signal: over }).catch(() => undefined); // over: the loop ends
  }
}

/** Asks for the lock again and again, on one connection; false when the signal aborts before it is free. */
async function obtained(holder: Client, key: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await holder.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [key]);
    if (rows[0]?.held === true) return true;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
  return false;
}
