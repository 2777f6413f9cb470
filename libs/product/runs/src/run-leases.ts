import { Injectable } from '@nestjs/common';
import type { ConversationId, RunId, RunKey, UserId } from '@app/kernel';
import { Database, Processes, selectList } from '@app/read-store';
import { RunRow } from './runs.projection';

/** How long a lease lasts without being renewed. Real time, by the database's clock. */
const leaseTtlMs = 5_000;
/** How often a worker renews the leases that it holds. */
export const leaseRenewMs = 1_250;
/** The channel that tells workers of runs to stop; the payload is the run's key. */
export const stopChannel = 'parley_stop';

/** A run whose segment some worker is to execute. */
export interface ClaimableRun {
  readonly runKey: RunKey;
  readonly runId: RunId;
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly segment: number;
}

const claimable = `r.id AS "runId", ${selectList(RunRow, ['runKey', 'userId', 'conversationId', 'segment'], { table: 'r' })}`;

/**
 * Which worker executes which run: rows that expire. They only save work from being done twice:
 * what fences a predecessor is `run.claimed`, so nothing depends on a lease being right.
 */
@Injectable()
export class RunLeases {
  constructor(
    private readonly database: Database,
    private readonly processes: Processes,
  ) {}

  /** Takes at most so many live runs that nobody holds, oldest first. */
  async claim(limit: number): Promise<ClaimableRun[]> {
    return this.database.query<ClaimableRun>(
      `WITH free AS (
         SELECT r.run_key, r.segment FROM runs AS r LEFT JOIN run_leases AS l USING (run_key)
         WHERE r.status IN ('queued', 'running', 'stopping') AND (l.run_key IS NULL OR l.expires_at < now())
         ORDER BY r.opened_position LIMIT $2),
       held AS (
         INSERT INTO run_leases (run_key, worker_id, expires_at)
         SELECT run_key, $1, now() + $3 * interval '1 ms' FROM free
         ON CONFLICT (run_key) DO UPDATE SET worker_id = excluded.worker_id, expires_at = excluded.expires_at
         WHERE run_leases.expires_at < now() RETURNING run_key)
       SELECT ${claimable}
       FROM held JOIN runs AS r USING (run_key)`,
      [this.processes.id, limit, leaseTtlMs],
    );
  }

  /** Takes a run whose row need not be there yet, unless somebody holds it; whether it is this worker's now. */
  async take(runKey: RunKey): Promise<boolean> {
    const taken = await this.database.query(
      `INSERT INTO run_leases (run_key, worker_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 ms')
       ON CONFLICT (run_key) DO UPDATE SET worker_id = excluded.worker_id, expires_at = excluded.expires_at
       WHERE run_leases.expires_at < now() RETURNING run_key`,
      [runKey, this.processes.id, leaseTtlMs],
    );
    return taken.length > 0;
  }

  /** Renews what this worker holds; answers those of them whose run is to stop. */
  async renew(runKeys: readonly RunKey[]): Promise<RunKey[]> {
    if (runKeys.length === 0) return [];
    await this.database.query(
      `UPDATE run_leases SET expires_at = now() + $3 * interval '1 ms' WHERE worker_id = $1 AND run_key = ANY($2)`,
      [this.processes.id, runKeys, leaseTtlMs],
    );
    const stopping = await this.database.query<{ runKey: RunKey }>(
      `SELECT ${selectList(RunRow, ['runKey'])} FROM runs WHERE run_key = ANY($1) AND status = 'stopping'`,
      [runKeys],
    );
    return stopping.map(({ runKey }) => runKey);
  }

  /** Lets go of a run, so that another may claim it after a pause of so many milliseconds. */
  async release(runKey: RunKey, afterMs = 0): Promise<void> {
    await this.database.query(
      `UPDATE run_leases SET expires_at = now() + $3 * interval '1 ms' WHERE run_key = $2 AND worker_id = $1`,
      [this.processes.id, runKey, afterMs],
    );
  }

  /** Whether some worker holds the run now. */
  async isHeld(runKey: RunKey): Promise<boolean> {
    const [row] = await this.database.query<{ held: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM run_leases WHERE run_key = $1 AND expires_at >= now()) AS held',
      [runKey],
    );
    return row?.held === true;
  }

  /** Removes the leases of runs that have ended. */
  async sweep(): Promise<void> {
    await this.database.query(
      `DELETE FROM run_leases AS l USING runs AS r
       WHERE r.run_key = l.run_key AND r.status IN ('completed', 'failed', 'aborted') AND l.expires_at < now()`,
    );
  }
}
