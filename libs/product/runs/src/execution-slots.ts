import { Injectable } from '@nestjs/common';
import { Unavailable, type RunKey, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration } from '@app/runtime';

/** A slot whose run never appeared in the read model is given back after this long. */
const orphanAfterSeconds = 45;
/** The least share of a user, where the deployment does not choose one. */
const leastShare = 4;

/** A segment that is to execute, and whose it is. */
export interface Segment {
  readonly runKey: RunKey;
  readonly segment: number;
  readonly userId: UserId;
}

/**
 * Execution capacity: one number for the deployment, and one for each user's share of it, held exactly across replicas and restarts
 * by rows keyed (run, segment) (docs/decisions/conventions.md, "Shares and quotas").
 * Throws Unavailable with the reason `engine_unavailable` when PostgreSQL does not answer.
 */
@Injectable()
export class ExecutionSlots {
  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
  ) {}

  /** Whether the segment holds a slot now: the one it had already, or a free one within its user's share. */
  async acquire(segment: Segment): Promise<boolean> {
    if (await this.tryTake(segment)) return true;
    // Slots of segments that are over do not count; most are given back at their end, the rest here.
    return (await this.sweep()) > 0 ? this.tryTake(segment) : false;
  }

  /** Gives the slot back; again changes nothing. */
  async release({ runKey, segment }: Pick<Segment, 'runKey' | 'segment'>): Promise<void> {
    await this.query('DELETE FROM execution_slots WHERE run_key = $1 AND segment = $2', [runKey, segment]);
  }

  /** Releases slots whose segment is over, waits for approval or was never admitted; answers how many. */
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

  private async tryTake({ runKey, segment, userId }: Segment): Promise<boolean> {
    const { EXECUTION_CAPACITY: capacity, EXECUTION_CAPACITY_PER_USER: chosen } = this.configuration.env;
    const share = chosen ?? Math.max(leastShare, Math.floor(capacity / 4));
    const [row] = await this.query<{ taken: boolean }>('SELECT take_execution_slot($1, $2, $3, $4, $5) AS taken', [
      runKey,
      segment,
      userId,
      capacity,
      share,
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
