import { Injectable } from '@nestjs/common';
import { Unavailable, type ConversationId, type RunId, type RunKey, type UserId } from '@app/kernel';
import { Database, Processes } from '@app/read-store';
import { GroupLoader } from '@app/runtime';
import { Configuration } from '@app/settings';

/** The usual size of a shard, in slots: small deployments have one shard, and in large ones takers do not wait for one another. */
const shardSizeUsual = 64;
const shardsMax = 256;

/** The division of a capacity; the sizes of all shards add up to it exactly. */
export interface CapacityShards {
  readonly count: number;
  /** Slots of a shard; those below `largerCount` have one more. */
  readonly leastSize: number;
  readonly largerCount: number;
}

/** Divides the deployment's execution capacity, identically in every process with that setting. @param capacity at least 1 */
function shardsOf(capacity: number): CapacityShards {
  const count = Math.min(shardsMax, Math.ceil(capacity / shardSizeUsual));
  return { count, leastSize: Math.floor(capacity / count), largerCount: capacity % count };
}

/** The number of slots of a shard. */
function sizeOf({ leastSize, largerCount }: CapacityShards, shard: number): number {
  return leastSize + (shard < largerCount ? 1 : 0);
}

/** How long a lease lasts without a renewal. Real time, by the database's clock. */
export const leaseTtlMs = 5_000;
/** A slot whose run never appeared in the read model is released after this long. */
const orphanAfterSeconds = 45;
/** The least share of a user, if the deployment does not choose one. */
const leastShare = 4;
/** Most segments in one statement, and waiting for one. */
const grouped = { batchMax: 200, waitingMax: 20_000 } as const;
/** Most shards that are tried for one segment; each had room when it was chosen. */
const triesMax = 16;
/** A refusal first sweeps slots of segments that are over, but not more often than this. */
const sweepPauseMs = 250;

/** A segment that is to execute, and its owner. */
export interface ExecutableSegment {
  readonly runKey: RunKey;
  readonly runId: RunId;
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly segment: number;
}

export type SegmentKey = Pick<ExecutableSegment, 'runKey' | 'segment'>;

/** `taken`: the slot exists, and this process has its lease. `held`: it exists, and another process may have the lease. */
export type SlotTaken = 'taken' | 'held' | 'none';

/**
 * Execution capacity: one limit for the deployment, and one for each user's share of it, held exactly across replicas and restarts by rows
 * keyed (run, segment) (docs/decisions/conventions.md, "Shares and quotas"). A taken slot includes the lease of this process. Concurrent
 * calls share one statement. Throws Unavailable with the reason `engine_unavailable` when PostgreSQL does not answer.
 */
@Injectable()
export class ExecutionSlots {
  private readonly takes = new GroupLoader<ExecutableSegment, string>((segments) => this.takeAll(segments), grouped);
  private readonly releases = new GroupLoader<SegmentKey, null>((segments) => this.releaseAll(segments), grouped);
  private nextShard = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  private sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
    private readonly processes: Processes,
  ) {}

  /** Takes a slot for the segment, within its user's share, and its lease for this process. A repeated call returns the same. */
  async take(segment: ExecutableSegment): Promise<SlotTaken> {
    const taken = await this.tryTake(segment);
    if (taken !== 'none' || performance.now() - this.sweptAtMs < sweepPauseMs) return taken;
    // Slots of segments that are over do not count; most are released at the segment's end, the others here.
    this.sweptAtMs = performance.now();
    return (await this.sweep()) > 0 ? this.tryTake(segment) : 'none';
  }

  /** Releases the slot and its lease; a repeated call changes nothing. */
  async release({ runKey, segment }: SegmentKey): Promise<void> {
    await asEngine(() => this.releases.load({ runKey, segment }));
  }

  /** Releases slots whose segment is over, waits for approval or was never admitted; returns their number. */
  async sweep(): Promise<number> {
    const swept = await this.query(
      `DELETE FROM execution_slots AS s
       WHERE EXISTS (SELECT 1 FROM {runs} AS r WHERE r.run_key = s.run_key
                     AND (r.status IN ('completed', 'failed', 'aborted') OR r.segment > s.segment
                          OR (r.status = 'awaiting_approval' AND r.segment = s.segment)))
          OR (s.taken_at < now() - $1 * interval '1 s'
              AND NOT EXISTS (SELECT 1 FROM {runs} AS r WHERE r.run_key = s.run_key AND r.segment >= s.segment))
       RETURNING s.run_key`,
      [orphanAfterSeconds],
    );
    return swept.length;
  }

  private async tryTake(segment: ExecutableSegment): Promise<SlotTaken> {
    let outcome = await asEngine(() => this.takes.load(segment));
    for (let tries = 0; outcome === 'full' && tries < triesMax; tries += 1) {
      const shard = await this.roomyShard();
      if (shard === null) break;
      [outcome = 'full'] = await this.takeFrom(shard, [segment]);
    }
    return outcome === 'taken' || outcome === 'held' ? outcome : 'none';
  }

  private takeAll(segments: readonly ExecutableSegment[]): Promise<string[]> {
    this.nextShard += 1;
    return this.takeFrom(this.nextShard % this.shards.count, segments);
  }

  /** The outcome for each segment, as `take_execution_slots` returns it. */
  private async takeFrom(shard: number, segments: readonly ExecutableSegment[]): Promise<string[]> {
    const { EXECUTION_CAPACITY: capacity, EXECUTION_CAPACITY_PER_USER: chosen } = this.configuration.env;
    const share = chosen ?? Math.max(leastShare, Math.floor(capacity / 4));
    const rows = await this.query<{ outcome: string }>(
      'SELECT outcome FROM take_execution_slots($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      [
        segments.map(({ runKey }) => runKey),
        segments.map((one) => one.segment),
        segments.map(({ runId }) => runId),
        segments.map(({ conversationId }) => conversationId),
        segments.map(({ userId }) => userId),
        this.processes.id,
        leaseTtlMs,
        share,
        shard,
        sizeOf(this.shards, shard),
      ],
    );
    return rows.map(({ outcome }) => outcome);
  }

  /** Returns a shard that has room now; null if none has, so that the deployment is full. */
  private async roomyShard(): Promise<number | null> {
    const { count, leastSize, largerCount } = this.shards;
    const [roomy] = await this.query<{ shard: number }>(
      `SELECT shard FROM generate_series(0, $1 - 1) AS all_of_them (shard)
       LEFT JOIN (SELECT shard, count(*) AS held FROM execution_slots GROUP BY shard) AS used USING (shard)
       WHERE coalesce(held, 0) < $2 + (shard < $3)::int ORDER BY random() LIMIT 1`,
      [count, leastSize, largerCount],
    );
    return roomy?.shard ?? null;
  }

  private async releaseAll(segments: readonly SegmentKey[]): Promise<null[]> {
    await this.database.query('SELECT release_execution_slots($1, $2)', [
      segments.map(({ runKey }) => runKey),
      segments.map(({ segment }) => segment),
    ]);
    return segments.map(() => null);
  }

  private get shards() {
    return shardsOf(this.configuration.env.EXECUTION_CAPACITY);
  }

  private async query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return asEngine(() => this.database.query<Row>(sql, parameters));
  }
}

async function asEngine<Value>(body: () => Promise<Value>): Promise<Value> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new Unavailable('execution engine', { cause: error, reason: 'engine_unavailable' });
  }
}
