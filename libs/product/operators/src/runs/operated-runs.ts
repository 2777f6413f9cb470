import { Injectable } from '@nestjs/common';
import type { ConversationId, RunId, RunKey, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import type { OperatedRun, RunFilter } from './runs.schema';

/** A lease is renewed every 1.25 s and expires after 5 s. */
const unheldForSeconds = 10;

/** A run with the ids of what it belongs to. */
export type FoundRun = OperatedRun & {
  readonly runKey: RunKey;
  readonly runId: RunId;
  readonly userId: UserId;
  readonly conversationId: ConversationId;
};

const live = `r.status IN ('queued', 'running', 'stopping')`;
const filters: Readonly<Record<RunFilter, string>> = {
  live,
  stuck: `${live} AND (s.run_key IS NULL OR s.expires_at < now() - interval '${unheldForSeconds} s')`,
  failed: `r.status = 'failed'`,
  ended: `r.status IN ('completed', 'failed', 'aborted')`,
};

const selected = `
  SELECT r.run_key AS "runKey", r.id AS "runId", r.user_id AS "userId", r.conversation_id AS "conversationId",
         r.automation_id AS "automationId", r.status, r.segment, s.worker_id AS "workerId",
         to_char(s.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "leaseUntil", r.failure,
         r.created_at AS "createdAt", r.started_at AS "startedAt", r.ended_at AS "endedAt"`;
const from = 'FROM {runs} AS r LEFT JOIN execution_slots AS s ON s.run_key = r.run_key AND s.segment = r.segment';

/** The runs of all users, with the workers that execute them. All methods throw Unavailable. */
@Injectable()
export class OperatedRuns {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** Null if there is none even after the read models have caught up. */
  async find(runKey: RunKey): Promise<FoundRun | null> {
    return this.gate.find(async () => {
      const [run] = await this.database.query<FoundRun>(`${selected} ${from} WHERE r.run_key = $1`, [runKey]);
      return run ?? null;
    });
  }

  /** Newest first, before a position. */
  async list(
    { state, user }: { readonly state: RunFilter | null; readonly user: UserId | null },
    before: number | null,
    limit: number,
  ): Promise<readonly (OperatedRun & { readonly position: number })[]> {
    const conditions = ['r.opened_position < $1', ...(state === null ? [] : [filters[state]])];
    if (user !== null) conditions.push('r.user_id = $3');
    return this.database.query(
      `${selected}, r.opened_position AS position ${from} WHERE ${conditions.join(' AND ')}
       ORDER BY r.opened_position DESC LIMIT $2`,
      [before ?? Number.MAX_SAFE_INTEGER, limit, ...(user === null ? [] : [user])],
    );
  }
}
