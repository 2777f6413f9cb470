import { Injectable } from '@nestjs/common';
import type { RunKey, UserId } from '@app/kernel';
import type { TextRow } from '@app/http';
import { boundedPage, Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { RunRow } from './runs.projection';
import { Run, type RunView } from './run.schema';

type Selected = RunView & Pick<RunRow, 'startedSeq'>;

/** The members of a run, as the API answers it. */
const members = selectList(RunRow, memberNames(Run), {
  computed: {
    usage: `json_build_object(
      'inputTokens', input_tokens, 'outputTokens', output_tokens, 'costCents', cost_cents, 'estimated', usage_estimated)`,
  },
});

/** What is read of runs in PostgreSQL. */
@Injectable()
export class RunQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** The run, or null when there is none even after the read models have caught up. */
  async find(runKey: RunKey): Promise<Selected | null> {
    return this.gate.find(() => this.row(runKey));
  }

  /** As `find`, and no older than this call: who has seen `run.ended` on the stream finds the run ended here. */
  async findAsOfNow(runKey: RunKey): Promise<Selected | null> {
    const run = await this.find(runKey);
    // What has ended does not change any more.
    if (run === null || run.endedAt !== null) return run;
    await this.gate.caughtUp();
    return this.row(runKey);
  }

  private async row(runKey: RunKey): Promise<Selected | null> {
    const [row] = await this.database.query<Selected>(
      `SELECT ${members}, ${selectList(RunRow, ['startedSeq'])} FROM runs WHERE run_key = $1`,
      [runKey],
    );
    return row ?? null;
  }

  /** Runs of a user as JSON text, newest first by the position of their `run.started`, strictly before a sort key. */
  async list(userId: UserId, conversationId: string | null, before: number | null, limit: number): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index that gives its rows in order.
    const [where, preparedAs, parameters] =
      conversationId === null
        ? ['', 'runs.list', page]
        : ['AND conversation_id = $4', 'runs.list.of_conversation', [...page, conversationId]];
    return this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(run)::text AS text, opened_position AS position
         FROM runs CROSS JOIN LATERAL (SELECT ${members}) AS run
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
  }

  /** How many runs the list has, from kept counters. */
  async total(userId: UserId, conversationId: string | null): Promise<number> {
    const name = conversationId === null ? `runs/${userId}` : `runs/${userId}/${conversationId}`;
    const [row] = await this.database.query<{ total: number }>(
      'SELECT total FROM list_counters WHERE name = $1',
      [name],
      'runs.total',
    );
    return row?.total ?? 0;
  }
}

/** The public form of a selected run. */
export function runView({ startedSeq: _, ...run }: Selected): RunView {
  return run;
}
