import { Injectable, Logger } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, Unavailable } from '@app/kernel';
import { Database, processGoneMs, ReadGate } from '@app/read-store';
import { instant, integer, shape, type Shaped } from '@app/schema';
import { Timers, timersChannel } from '@app/timers';
import AsyncLock from 'async-lock';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { clockChannel } from './sandbox-clock';

/** Maximum number of due instants that one call steps through (docs/decisions/sandbox.md). */
const instantsMax = 2_000;
/** Maximum number of calls that wait for their turn in one process. */
const waitingMax = 100;
/** Lock that allows one move at a time in the whole deployment. */
const moveLockKey = 7_265_101;
/** A call that makes no progress for this long fails: a process is stuck, a timer keeps failing, or there is no worker. */
const progressWaitMs = 10_000;
const connectTimeoutMs = 5_000;
const pollFirstMs = 1;
const pollLastMs = 32;

export const ClockReading = shape('ClockReading', {
  now: instant({ description: 'What the service clock says' }),
  remainingSeconds: integer({
    min: 0,
    description: 'What is left of the move that was asked for, to be asked for again; 0 when it is done',
  }),
});
export type ClockReading = Shaped<typeof ClockReading>;

/** Moves the service clock of the whole deployment forward, through every due instant in order. */
@Injectable()
export class ClockMoves {
  private readonly logger = new Logger(ClockMoves.name);
  private readonly turns = new AsyncLock({ maxPending: waitingMax });

  constructor(
    private readonly database: Database,
    private readonly timers: Timers,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  read(): ClockReading {
    return { now: this.clock.now(), remainingSeconds: 0 };
  }

  /**
   * Moves the clock. Every timer that falls due in between is handled before the clock moves on, and the read models
   * show the results. @throws Unavailable when a live process or a due timer makes no progress for 10 s; the clock then
   * stays at the instant that it reached
   */
  async advance(seconds: number): Promise<ClockReading> {
    const reading = await this.turns.acquire('move', () =>
      this.runAlone(() => this.move(this.clock.epochMs() + seconds * 1000)),
    );
    await this.gate.passedAll();
    return reading;
  }

  /** Runs the body under the deployment's lock, on a connection of its own because moves can take longer than a transaction may. */
  private async runAlone<Value>(body: () => Promise<Value>): Promise<Value> {
    const holder = new Client({
      connectionString: this.database.url,
      application_name: 'parley clock',
      connectionTimeoutMillis: connectTimeoutMs,
    });
    // The lock is lost with the connection. If another move begins then, the clock reaches the farther of the two
    // targets.
    holder.on('error', (error) => this.logger.warn(`the lock of a clock move was lost: ${error.message}`));
    try {
      await lock(holder);
      return await body();
    } finally {
      await holder.end().catch(() => undefined); // the connection is already gone, and the lock with it
    }
  }

  private async move(targetMs: number): Promise<ClockReading> {
    for (let instants = 0; instants < instantsMax; instants += 1) {
      const due = await this.nextDueMs();
      if (due === null || due > targetMs) {
        await this.reach(targetMs);
        return this.read();
      }
      await this.reach(due);
      await this.waitUntilHandled(due);
    }
    return {
      now: this.clock.now(),
      remainingSeconds: Math.max(0, Math.ceil((targetMs - this.clock.epochMs()) / 1000)),
    };
  }

  /** Moves the clock to the instant in every live process, unless it is already past it, and wakes the workers. */
  private async reach(epochMs: number): Promise<void> {
    const offsetMs = epochMs - Date.now();
    if (epochMs > this.clock.epochMs()) {
      await this.database.query(
        `WITH moved AS (
           UPDATE sandbox_state
           SET value = jsonb_build_object('offsetMs', greatest((value->>'offsetMs')::bigint, $1::bigint))
           WHERE name = 'clock' RETURNING value->>'offsetMs' AS offset_ms)
         SELECT pg_notify('${clockChannel}', offset_ms) FROM moved`,
        [offsetMs],
      );
      await this.waitUntil('a process did not take over the clock', () => this.everyProcessHas(offsetMs));
    }
    await this.database.query(`SELECT pg_notify('${timersChannel}', '0')`);
  }

  private async everyProcessHas(offsetMs: number): Promise<boolean> {
    const [row] = await this.database.query<{ behind: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM processes
         WHERE clock_offset_ms < $1 AND heartbeat_at > now() - $2 * interval '1 ms') AS behind`,
      [offsetMs, processGoneMs],
    );
    return row?.behind !== true;
  }

  private async waitUntilHandled(dueMs: number): Promise<void> {
    await this.waitUntil(`what is due at ${instantOf(dueMs)} was not handled`, async () => {
      const next = await this.nextDueMs();
      return next === null || next > dueMs;
    });
  }

  private async nextDueMs(): Promise<number | null> {
    const due = await this.timers.nextDue();
    return due === null ? null : epochMsOf(due);
  }

  private async waitUntil(otherwise: string, reached: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + progressWaitMs;
    for (let pauseMs = pollFirstMs; !(await reached()); pauseMs = Math.min(pauseMs * 2, pollLastMs)) {
      if (performance.now() > deadline) {
        this.logger.warn(`the clock stopped before its goal: ${otherwise}`);
        throw new Unavailable('service', { cause: new Error(otherwise) });
      }
      await sleep(pauseMs);
    }
  }
}

async function lock(holder: Client): Promise<void> {
  try {
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock($1)', [moveLockKey]);
  } catch (error) {
    throw new Unavailable('database', { cause: error });
  }
}
