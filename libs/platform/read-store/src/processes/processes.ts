import { Logger } from '@nestjs/common';
import { asId, type ProcessId, failureWords } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { BackgroundWork } from './background-work';
import type { Database } from '../database/database';

/** Interval of a process's heartbeats. Real time: moving the sandbox clock changes nothing here. */
const heartbeatMs = 1_000;
/** A process without a heartbeat for this long counts as gone, except for admission. */
export const processGoneMs = 6_000;
/** `execution_unavailable` when no worker has had a heartbeat for this long (docs/decisions/runs.md). */
const workerSilenceMs = 15_000;
/** How long a positive answer is cached, because every admission asks. */
const believedMs = 1_000;
const forgottenMs = 3_600_000;

export interface ProcessRoles {
  readonly api: boolean;
  readonly worker: boolean;
}

/** The processes of the deployment, each with a row that it keeps fresh. Leases, sockets and clock moves depend on it. */
export class Processes {
  readonly id = asId<ProcessId>(uuidV7());
  private readonly logger = new Logger(Processes.name);
  private timer: NodeJS.Timeout | null = null;
  private beating: Promise<void> | null = null;
  private stopped = false;
  private workerSeenAtMs = Number.NEGATIVE_INFINITY;
  private readonly reported: (() => readonly string[])[] = [];

  constructor(
    private readonly database: Database,
    private readonly roles: ProcessRoles,
  ) {}

  /** Registers this process and keeps its row fresh. */
  async start(): Promise<void> {
    await this.beat();
    if (this.stopped) return;
    // A slow database gets one heartbeat at a time.
    this.timer = setInterval(() => {
      this.beating ??= this.beat()
        .catch((error: unknown) => this.logger.warn(`the heartbeat failed: ${failureWords(error)}`))
        .finally(() => (this.beating = null));
    }, heartbeatMs);
  }

  /**
   * Removes this process's row, so that others need not wait for its silence. If the database is unreachable, they wait, and the failure is
   * logged.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    // A heartbeat in flight would restore the row.
    await this.beating;
    try {
      await this.database.query('DELETE FROM processes WHERE id = $1', [this.id]);
    } catch (error) {
      this.logger.warn(`this process could not sign off: ${failureWords(error)}`);
    }
  }

  /** Whether some worker had a heartbeat within the last 15 s; a positive answer is cached for a second. */
  async workerAlive(): Promise<boolean> {
    if (performance.now() - this.workerSeenAtMs < believedMs) return true;
    const askedAtMs = performance.now();
    const [row] = await this.database.query<{ alive: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM processes WHERE worker AND heartbeat_at > now() - $1 * interval '1 ms') AS alive`,
      [workerSilenceMs - believedMs],
    );
    if (row?.alive === true) this.workerSeenAtMs = askedAtMs;
    return row?.alive === true;
  }

  /** Registers a source of troubles, which this process reports to the others with its heartbeats. */
  reports(troubles: () => readonly string[]): void {
    this.reported.push(troubles);
  }

  /** Registers background work whose rounds the caller reports: while they fail, the deployment is degraded and names the work. */
  watches(name: string): BackgroundWork {
    const work = new BackgroundWork(name);
    this.reports(() => (work.isStuck ? [`work ${name}`] : []));
    return work;
  }

  /** The troubles that processes have reported lately. */
  async troubles(): Promise<string[]> {
    const rows = await this.database.query<{ trouble: string }>(
      `SELECT DISTINCT unnest(troubles) AS trouble FROM processes WHERE heartbeat_at > now() - $1 * interval '1 ms'`,
      [processGoneMs],
    );
    return rows.map(({ trouble }) => trouble);
  }

  private async beat(): Promise<void> {
    const troubles = this.reported.flatMap((tell) => tell());
    await this.database.query(
      `INSERT INTO processes (id, api, worker, troubles, leads) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET heartbeat_at = now(), troubles = excluded.troubles, leads = excluded.leads`,
      [this.id, this.roles.api, this.roles.worker, troubles, this.database.leaderSession.leads],
    );
    await this.database.query(`DELETE FROM processes WHERE heartbeat_at < now() - $1 * interval '1 ms'`, [forgottenMs]);
  }
}
