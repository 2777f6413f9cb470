import { Injectable } from '@nestjs/common';
import type { RunKey } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { RunRow } from './runs.projection';
import { Run, type RunView } from './run.schema';

type Selected = RunView & Pick<RunRow, 'startedSeq'>;

/** The members of a run, as the API returns it. */
export const runMembers = selectList(RunRow, memberNames(Run), {
  computed: {
    usage: `json_build_object(
      'inputTokens', input_tokens, 'cachedInputTokens', cached_input_tokens, 'outputTokens', output_tokens,
      'costCents', cost_cents, 'estimated', usage_estimated)`,
  },
});

const selected = `${runMembers}, ${selectList(RunRow, ['startedSeq'])}`;

/** Finds runs in PostgreSQL. */
@Injectable()
export class RunQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** The run, or null when there is none even after the read models have caught up. */
  async find(runKey: RunKey): Promise<Selected | null> {
    return this.gate.find(async () => {
      const [row] = await this.database.query<Selected>(`SELECT ${selected} FROM {runs} WHERE run_key = $1`, [runKey]);
      return row ?? null;
    });
  }
}
