import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { ok, type ConversationId, type Result, type RunId, type RunKey } from '@app/kernel';
import { Database, Processes, type BackgroundWork } from '@app/read-store';
import { ExecutionSlots, leaseTtlMs, type ExecutableSegment, type SegmentKey } from './execution-slots';

/** How often a worker renews its leases. */
export const leaseRenewMs = 1_250;
/** The channel that notifies workers of a segment to claim; the payload is the run's key. */
export const workChannel = 'parley_work';
/** The channel that notifies workers of a run to stop; the payload is the run's key. */
export const stopChannel = 'parley_stop';

/** The results of a worker's renewal of its leases. */
interface Renewed {
  /** Runs that are to stop. */
  readonly stopping: readonly RunKey[];
  /** Runs whose slot was gone, as after a crash of PostgreSQL, and that have one again. */
  readonly retaken: readonly RunKey[];
  /** Runs whose slot another worker has by now, or for which there is no room any more. */
  readonly lost: readonly RunKey[];
}

/**
 * The worker of each segment: the slot's row names it until its lease expires. Leases only prevent double work: `run.claimed` is what
 * fences a predecessor, so nothing depends on a lease being right. All methods throw Unavailable.
 */
@Injectable()
export class RunLeases {
  private readonly claims: BackgroundWork;

  constructor(
    private readonly database: Database,
    private readonly processes: Processes,
    private readonly slots: ExecutionSlots,
  ) {
    this.claims = processes.watches('runs');
  }

  /** Claims at most so many segments without a valid lease, oldest first; failures are reported by `/readyz`. */
  async claim(limit: number): Promise<ExecutableSegment[]> {
    try {
      const claimed = await this.claimFree(limit);
      this.claims.succeeded();
      return claimed;
    } catch (error) {
      this.claims.failed();
      throw error;
    }
  }

  private async claimFree(limit: number): Promise<ExecutableSegment[]> {
    return this.database.query<ExecutableSegment>(
      `UPDATE execution_slots AS s SET worker_id = $1, expires_at = now() + $3 * interval '1 ms'
       FROM (SELECT run_key, segment FROM execution_slots WHERE expires_at <= now()
             ORDER BY taken_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS free
       WHERE s.run_key = free.run_key AND s.segment = free.segment
       RETURNING s.run_key AS "runKey", s.run_id AS "runId", s.user_id AS "userId", s.conversation_id AS "conversationId", s.segment`,
      [this.processes.id, limit, leaseTtlMs],
    );
  }

  /** Releases a segment that this process admitted for any worker, and notifies all of them. */
  async handOver({ runKey, segment }: SegmentKey): Promise<void> {
    await this.database.query(
      `WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
       free AS (
         UPDATE execution_slots SET worker_id = NULL, expires_at = now() FROM unhurried
         WHERE run_key = $1 AND segment = $2 AND worker_id = $3 RETURNING run_key)
       SELECT pg_notify('${workChannel}', run_key::text) FROM free`,
      [runKey, segment, this.processes.id],
    );
  }

  /** Renews the leases of the segments executed by this worker; takes lost ones again. */
  async renew(segments: readonly ExecutableSegment[]): Promise<Renewed> {
    if (segments.length === 0) return { stopping: [], retaken: [], lost: [] };
    const renewed = await this.database.query<{ runKey: RunKey; stopping: boolean | null }>(
      `WITH held AS (
         UPDATE execution_slots SET expires_at = now() + $3 * interval '1 ms'
         WHERE worker_id = $1 AND run_key = ANY ($2) RETURNING run_key)
       SELECT run_key AS "runKey", status = 'stopping' AS stopping FROM held LEFT JOIN {runs} USING (run_key)`,
      [this.processes.id, segments.map(({ runKey }) => runKey), leaseTtlMs],
    );
    const held = new Set(renewed.map(({ runKey }) => runKey));
    const gone = segments.filter(({ runKey }) => !held.has(runKey));
    const taken = await Promise.all(gone.map((segment) => this.slots.take(segment)));
    const keysOf = (isRetaken: boolean) =>
      gone.filter((_, index) => (taken[index] === 'taken') === isRetaken).map(({ runKey }) => runKey);
    return {
      stopping: renewed.filter(({ stopping }) => stopping === true).map(({ runKey }) => runKey),
      retaken: keysOf(true),
      lost: keysOf(false),
    };
  }

  /** Releases a segment, so that another worker may claim it after this pause. */
  async release({ runKey, segment }: SegmentKey, afterMs = 0): Promise<void> {
    await this.database.query(
      `UPDATE execution_slots SET expires_at = now() + $4 * interval '1 ms'
       WHERE run_key = $2 AND segment = $3 AND worker_id = $1`,
      [this.processes.id, runKey, segment, afterMs],
    );
  }

  /** Takes a segment from whichever worker has it, so that its lease is not renewed any more, and notifies all workers. */
  async takeAway({ runKey, segment }: SegmentKey): Promise<void> {
    await this.database.query(
      `WITH free AS (
         UPDATE execution_slots SET worker_id = NULL, expires_at = now()
         WHERE run_key = $1 AND segment = $2 RETURNING run_key)
       SELECT pg_notify('${workChannel}', run_key::text) FROM free`,
      [runKey, segment],
    );
  }

  /** Whether some worker holds the run now; `no worker` if none is alive at all. */
  async standing(runKey: RunKey): Promise<'held' | 'lost' | 'no worker'> {
    if (!(await this.processes.workerAlive())) return 'no worker';
    return (await this.isHeld(runKey)) ? 'held' : 'lost';
  }

  async isHeld(runKey: RunKey): Promise<boolean> {
    const [row] = await this.database.query<{ held: boolean }>(
      `SELECT EXISTS (
         SELECT 1 FROM execution_slots WHERE run_key = $1 AND worker_id IS NOT NULL AND expires_at > now()) AS held`,
      [runKey],
    );
    return row?.held === true;
  }
}

/** A run in the hands of one particular holder. */
interface HeldRun {
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly segment: number;
  readonly attempt: number;
}

/**
 * Takes a run from its worker, whichever that is, so that the next claim continues it. For operators. Does nothing if another worker has
 * claimed it since, or it is over. @throws Unavailable
 */
export class ReleaseRun extends Command<Result<void>> {
  constructor(readonly held: HeldRun) {
    super();
  }
}

@CommandHandler(ReleaseRun)
export class ReleaseRunHandler implements ICommandHandler<ReleaseRun> {
  constructor(
    private readonly states: FoldedStates,
    private readonly leases: RunLeases,
  ) {}

  async execute({ held: { conversationId, runId, segment, attempt } }: ReleaseRun): Promise<Result<void>> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    const run = state.openRuns[runId];
    if (run?.segment === segment && run.attempt === attempt) await this.leases.takeAway(run);
    return ok(undefined);
  }
}
