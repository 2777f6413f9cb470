import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageTextOf, type TextRow } from '@app/http';
import type { ReplacedMessage } from '@app/conversations';
import {
  notFound,
  ok,
  refuse,
  type ConversationId,
  type MessageId,
  type Result,
  type RunId,
  type RunKey,
  type UserId,
} from '@app/kernel';
import { boundedPage, Database, ReadGate, selectList } from '@app/read-store';
import { KeyRing, openMembers, openTexts, type Opened } from '@app/sealing';
import { memberNames } from '@app/schema';
import { runKeyOf } from './run-binding';
import { Run, type RunView, type StartedRun } from './run.schema';
import { ListRunsDto } from './runs.dto';
import { RunRow } from './runs.projection';

/** The members of a run with a person's words. */
const personalMembers = ['request', 'response', 'output'] as const;
type PersonalMember = (typeof personalMembers)[number];

type Found = Omit<RunView, PersonalMember> & Pick<RunRow, PersonalMember | 'startedSeq'>;
type Selected = Opened<Found, PersonalMember>;

/** The members of a run, as the API returns it. */
const runMembers = selectList(RunRow, memberNames(Run), {
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
    private readonly keys: KeyRing,
  ) {}

  /** The run, or null when there is none even after the read models have caught up. */
  async find(runKey: RunKey): Promise<Selected | null> {
    return this.gate.find(async () => {
      const rows = await this.database.query<Found>(`SELECT ${selected} FROM {runs} WHERE run_key = $1`, [runKey]);
      const [row] = await openMembers(this.keys, rows, personalMembers);
      return row ?? null;
    });
  }

  /** The message of the user in that conversation's present line, as of now; null when there is none. */
  async findReplaceable(conversationId: ConversationId, messageId: MessageId): Promise<ReplacedMessage | null> {
    await this.gate.caughtUp();
    const [row] = await this.database.query<ReplacedMessage>(
      `SELECT m.id AS "messageId", m.seq FROM {messages} AS m WHERE m.id = $1 AND m.conversation_id = $2 AND m.role = 'user'
       AND NOT EXISTS (SELECT 1 FROM {superseded_parts} AS part
         WHERE part.conversation_id = m.conversation_id AND m.seq >= part.from_seq AND m.seq < part.before_seq)`,
      [messageId, conversationId],
    );
    return row ?? null;
  }

  /** The run that a message is a part of, or null when there is none even after the read models have caught up. */
  async findByMessage(messageId: MessageId): Promise<RunOfMessage | null> {
    return this.gate.find(async () => {
      const [row] = await this.database.query<RunOfMessage>(
        `SELECT r.id AS "runId", r.status, m.seq FROM {messages} AS m
         JOIN {runs} AS r ON r.conversation_id = m.conversation_id AND r.id = m.run_id WHERE m.id = $1`,
        [messageId],
      );
      return row ?? null;
    });
  }
}

/** The run that a message is a part of. @property seq of the message */
type RunOfMessage = Pick<StartedRun, 'runId' | 'status' | 'seq'>;

/** A run, no older than this call: after `run.ended` on the stream, a caller finds the run ended here. Refuses with `not_found`. */
export class GetRun extends Query<Result<RunView>> {
  constructor(
    readonly userId: UserId,
    readonly runId: RunId,
  ) {
    super();
  }
}

@QueryHandler(GetRun)
class GetRunHandler implements IQueryHandler<GetRun> {
  constructor(
    private readonly runs: RunQueries,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, runId }: GetRun): Promise<Result<RunView>> {
    const runKey = runKeyOf(userId, runId);
    let found = await this.runs.find(runKey);
    // An ended run does not change any more.
    if (found !== null && found.endedAt === null) {
      await this.gate.caughtUp();
      found = await this.runs.find(runKey);
    }
    if (found === null) return refuse(notFound);
    const { startedSeq: _, ...run } = found;
    return ok(run);
  }
}

/** A page of a user's runs as JSON text, newest first by the position of their `run.started`. Refuses with `invalid_cursor`. */
export class ListRuns extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListRunsDto,
  ) {
    super();
  }
}

@QueryHandler(ListRuns)
class ListRunsHandler implements IQueryHandler<ListRuns> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListRuns): Promise<Result<string>> {
    const { cursor, limit } = query;
    const conversationId = query.conversationId ?? null;
    const binding = { list: 'runs.list', userId, filters: { conversationId } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, conversationId, before.value, limit + 1),
      this.database.counted('runs', [conversationId === null ? userId : `${userId}/${conversationId}`]),
    ]);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total));
  }

  private async rows(
    userId: UserId,
    conversationId: string | null,
    before: number | null,
    limit: number,
  ): Promise<TextRow[]> {
    const page = [userId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index in the order of its rows.
    const [where, preparedAs, parameters] =
      conversationId === null
        ? ['', 'runs.list', page]
        : ['AND conversation_id = $4', 'runs.list.of_conversation', [...page, conversationId]];
    const rows = await this.database.query<TextRow>(
      boundedPage(
        `SELECT row_to_json(run)::text AS text, opened_position AS position
         FROM {runs} CROSS JOIN LATERAL (SELECT ${runMembers}) AS run
         WHERE user_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      ),
      parameters,
      preparedAs,
    );
    return openTexts(this.keys, rows, personalMembers);
  }
}

export const runQueries = [GetRunHandler, ListRunsHandler];
