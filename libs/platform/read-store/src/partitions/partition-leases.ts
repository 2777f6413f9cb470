import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database';
import type { OpenSession } from '../leading/leader-session';
import type { Partitions } from './places';
import { programOf, type AnyProjection } from '../read-models/projection';

/** How often the numbers of partitions and of projectors are read. */
const lookEveryMs = 300;
const logger = new Logger('PartitionLeases');

type Body = (partitions: Partitions, signal: AbortSignal) => Promise<void>;

interface Work {
  readonly stop: AbortController;
  /** Resolves when the body has ended; never rejects. */
  readonly done: Promise<void>;
}

/**
 * The leases of one projector: one process of the program works on each partition, and the processes share them evenly. A lease is a lock
 * on the process's session for everything that it leads; with the session, all are lost at once. A second, shared lock counts the
 * projectors of a program, and shows other programs that one exists.
 */
export class PartitionLeases {
  private readonly held = new Set<number>();
  private count = 1;
  private work: Work | null = null;
  private failure: Error | null = null;
  private readonly program: number;

  constructor(
    private readonly database: Database,
    private readonly projections: readonly AnyProjection[],
    private readonly session: OpenSession,
    private readonly body: Body,
  ) {
    this.program = programOf(projections);
  }

  /** Works until the signal aborts or the session is lost. Throws what the body throws. */
  async hold(signal: AbortSignal): Promise<void> {
    const leading = AbortSignal.any([signal, this.session.lost]);
    while (!(await this.session.lockShared(this.program))) {
      // An older version holds it exclusively.
      await sleep(lookEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
      if (leading.aborted) return;
    }
    try {
      while (!leading.aborted && this.failure === null) {
        await this.share(leading);
        await sleep(lookEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
      }
    } finally {
      await this.stopWork();
      await this.release([...this.held]);
      await this.session.giveBackShared(this.program);
    }
    if (this.failure !== null) throw this.failure;
  }

  /** Takes free partitions, or releases some for others, up to an even share. */
  private async share(signal: AbortSignal): Promise<void> {
    const { count, projectors } = await this.look();
    const most = Math.ceil(count / Math.max(1, projectors));
    const before = [...this.held].join();
    const leaves = count === this.count ? [...this.held].slice(most) : [...this.held];
    if (leaves.length > 0) {
      await this.stopWork();
      await this.release(leaves);
    }
    this.count = count;
    for (let partition = 0; partition < count && this.held.size < most; partition += 1)
      if (!this.held.has(partition) && (await this.session.lock(this.keyOf(partition)))) this.held.add(partition);
    if (before === [...this.held].join() && this.work !== null) return;
    await this.stopWork();
    if (this.held.size > 0 && !signal.aborted) this.startWork(signal);
  }

  private startWork(signal: AbortSignal): void {
    const held = [...this.held].sort((one, next) => one - next);
    const stop = new AbortController();
    const names = held.map((partition) => nameOf(partition, this.count));
    if (this.count > 1) logger.log(`projects partitions ${held.map((n) => n + 1).join(', ')} of ${this.count}`);
    const partitions = { count: this.count, held };
    const working = this.database.leaderSession.leading(names, () =>
      this.body(partitions, AbortSignal.any([signal, stop.signal])),
    );
    const done = working.catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
    });
    this.work = { stop, done };
  }

  private async stopWork(): Promise<void> {
    this.work?.stop.abort();
    await this.work?.done;
    this.work = null;
  }

  private async release(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      this.held.delete(partition);
      await this.session.release(this.keyOf(partition));
    }
  }

  /** Reads the number of partitions, and of processes of this program that share them. */
  private async look(): Promise<{ readonly count: number; readonly projectors: number }> {
    const [row] = await this.database.query<{ count: number; projectors: number }>(
      `SELECT coalesce((SELECT partitions FROM projector_partitions WHERE program = $1), 1) AS count,
         (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
            AND mode = 'ShareLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND (classid::int8 << 32) + objid::int8 = $1) AS projectors`,
      [this.program],
    );
    return row ?? { count: 1, projectors: 1 };
  }

  private keyOf(partition: number): number {
    return programOf(this.projections, `partition ${partition}`);
  }
}

/** The name by which operators see that a process leads. */
function nameOf(partition: number, count: number): string {
  return count === 1 ? 'projector' : `projector ${partition + 1}/${count}`;
}
