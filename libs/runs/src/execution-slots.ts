import { Injectable } from '@nestjs/common';
import { Unavailable, type RunKey } from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration } from '@app/runtime';

/** A slot whose run never appeared in the read model is given back after this long. */
const orphanAfterSeconds = 45;

/**
 * Execution capacity: one number for the deployment, held exactly across replicas and restarts by rows keyed (run, segment).
 * Throws Unavailable with the reason `engine_unavailable` when PostgreSQL does not answer.
 */
@Injectable()
export class ExecutionSlots {
  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
  ) {}

  /** Whether the segment holds a slot now: the one it had already, or a free one. */
  async take(runKey: RunKey, segment: number): Promise<boolean> {
    if (await this.tryTake(runKey, segment)) return true;
    // Slots of segments that are over do not count; most are given back at their end, the rest here.
    return (await this.sweep()) > 0 ? this.tryTake(runKey, segment) : false;
  }

  /** Gives the slot back; again changes nothing. */
  async release(runKey: RunKey, segment: number): Promise<void> {
    await this.query('DELETE FROM execution_slots WHERE run_key = $1 AND segment = $2', [runKey, segment]);
  }

  /** Gives back slots whose segment is over, waits for approval or never came to be; answers how many. */
  async sweep(): Promise<number> {
    const swept = await this.query(
      `DELETE FROM execution_slots AS s
       WHERE EXISTS (SELECT 1 FROM runs AS r WHERE r.run_key = s.run_key
                     AND (r.status IN ('completed', 'failed', 'aborted') OR r.segment > s.segment
                          OR (r.status = 'awaiting_approval' AND r.segment = s.segment)))
          OR (s.taken_at < now() - $1 * interval '1 s'
              AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.run_key = s.run_key AND r.segment >= s.segment))
       RETURNING s.run_key`,
      [orphanAfterSeconds],
    );
    return swept.length;
  }

  private async tryTake(runKey: RunKey, segment: number): Promise<boolean> {
    const [row] = await this.query<{ taken: boolean }>('SELECT take_execution_slot($1, $2, $3) AS taken', [
      runKey,
      segment,
      this.configuration.env.EXECUTION_CAPACITY,
    ]);
    return row?.taken === true;
  }

  private async query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.database.query<Row>(sql, parameters);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      throw new Unavailable('execution engine', { cause: error, reason: 'engine_unavailable' });
    }
  }
}
