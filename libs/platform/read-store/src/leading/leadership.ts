import { Logger } from '@nestjs/common';
import { DamagedStream, failureWords } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaderSession, OpenSession } from './leader-session';

const retryMs = 300;
/** Pause before work that needs a damaged stream is retried. */
const damagedRetryMs = 5_000;
const logger = new Logger('Leadership');

/** Advisory lock numbers of the work that only one process of the deployment may do at a time. */
export const leaderLocks = {
  migrations: 7_265_001,
  segments: 7_265_003,
  watchdog: 7_265_004,
  copies: 7_265_005,
  firing: 7_265_006,
  contractUses: 7_265_009,
  operators: 7_265_010,
  transparency: 7_265_011,
  webhooks: 7_265_012,
  erasures: 7_265_013,
  retention: 7_265_014,
  queue: 7_265_015,
} as const;

/**
 * Runs the body whenever this process holds the lock, until the signal aborts; when the body ends or throws, it starts over after a pause.
 * The lock belongs to the session for everything that the process leads: when that session ends, the body's signal aborts and another
 * process takes over. The lock is also released when the process ends or hangs.
 */
export async function keepLeading(
  leaderSession: LeaderSession,
  lock: keyof typeof leaderLocks,
  signal: AbortSignal,
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await keepHolding(leaderSession, { name: lock, key: leaderLocks[lock] }, signal, body);
}

/** As `keepLeading`, with a lock of any number. */
export async function keepHolding(
  leaderSession: LeaderSession,
  { name, key }: { readonly name: string; readonly key: number },
  signal: AbortSignal,
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await keepUsing(leaderSession, name, signal, (session) =>
    lead(session, key, signal, (leading) => leaderSession.leading([name], () => body(leading))),
  );
}

/** Runs the body with the session repeatedly, after a pause each time, until the signal aborts. @param name for the log */
export async function keepUsing(
  leaderSession: LeaderSession,
  name: string,
  signal: AbortSignal,
  body: (session: OpenSession) => Promise<void>,
): Promise<void> {
  let said: string | null = null;
  while (!signal.aborted) {
    let pauseMs = retryMs;
    try {
      await leaderSession.use(body);
      said = null;
    } catch (error) {
      const message = failureWords(error);
      // A damaged stream waits for an operator, and was logged when it was found.
      if (error instanceof DamagedStream) pauseMs = damagedRetryMs;
      if (!(error instanceof DamagedStream) || said !== message)
        logger.warn(`${name} stopped and is tried again: ${message}`);
      said = message;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
}

async function lead(
  session: OpenSession,
  key: number,
  signal: AbortSignal,
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const leading = AbortSignal.any([signal, session.lost]);
  if (!(await obtainLock(session, key, leading))) return;
  try {
    await body(leading);
  } finally {
    await session.giveBack(key);
  }
}

/** Retries until it holds the lock; returns false when the signal aborts before that. */
async function obtainLock(session: OpenSession, key: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await session.lock(key)) return true;
    await sleep(retryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
  return false;
}
