import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { Cursors, pageOf, pageTextOf, type TextRow } from '@app/http';
import { isErased, notFound, ok, refuse, shown } from '@app/kernel';
import type { ConversationId, Instant, Result, UserId } from '@app/kernel';
import { boundedPage, Database, selectList } from '@app/read-store';
import { KeyRing, openMembers, openTexts } from '@app/sealing';
import { memberNames } from '@app/schema';
import { pendingApprovals, type ConversationState } from './conversation.state';
import { Conversation, Message, type ConversationPage, type ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { origins } from './conversation.events';
import type { RunRequest, RunRequestInput } from './run/run.schema';
import { ListConversationsDto, ListMessagesDto } from './conversations.contract';
import { ConversationRow, counterName, MessageRow } from './conversations.projection';

/** The view of a folded conversation: exactly the state at `lastSeq`, so that a stream opened there misses nothing. */
export function conversationView(id: string, state: ConversationState): ConversationView {
  return {
    id,
    title: shown(state.title),
    origin: state.origin,
    automationId: state.automationId,
    status: statusOf(state),
    liveRunId: state.liveRunId,
    queuedRunIds: state.queued.map(({ runId }) => runId),
    pendingApprovals: pendingApprovals(state),
    lastSeq: state.lastSeq,
    createdAt: existing(state.createdAt),
    lastActivityAt: existing(state.lastActivityAt),
    archivedAt: state.archivedAt,
  };
}

/** A live run takes precedence over pending approvals. */
function statusOf(state: ConversationState): ConversationView['status'] {
  if (state.liveRunId !== null) return 'running';
  return pendingApprovals(state) > 0 ? 'awaiting_approval' : 'idle';
}

function existing(instant: Instant | null): Instant {
  if (instant === null) throw new Error('a conversation that does not exist has no view');
  return instant;
}

/** A conversation as of now, folded from its stream. Refuses with `not_found`. */
export class GetConversation extends Query<Result<ConversationView>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
  ) {
    super();
  }
}

@QueryHandler(GetConversation)
class GetConversationHandler implements IQueryHandler<GetConversation> {
  constructor(private readonly states: FoldedStates) {}

  async execute({ userId, conversationId }: GetConversation): Promise<Result<ConversationView>> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    return state.userId === userId ? ok(conversationView(conversationId, state)) : refuse(notFound);
  }
}

/**
 * A page of a user's conversations, most recently active first. The cursors of a first page that another operation returns continue here.
 * Refuses a cursor of another list, filter or user with `invalid_cursor`.
 */
export class ListConversations extends Query<Result<ConversationPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListConversationsDto,
  ) {
    super();
  }
}

type Filter = Omit<ListConversationsDto, 'cursor' | 'limit'>;

const listed = selectList(ConversationRow, [...memberNames(Conversation), 'activityPosition'], {
  computed: {
    status: `CASE WHEN live_run_id IS NOT NULL THEN 'running' WHEN pending_approvals > 0 THEN 'awaiting_approval' ELSE 'idle' END`,
  },
});

type Listed = Omit<ConversationView, 'title'> & Pick<ConversationRow, 'title' | 'activityPosition'>;

const active = '(live_run_id IS NOT NULL OR pending_approvals > 0)';

@QueryHandler(ListConversations)
class ListConversationsHandler implements IQueryHandler<ListConversations> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: ListConversations): Promise<Result<ConversationPage>> {
    const { cursor, limit, ...filter } = query;
    const binding = { list: 'conversations.list', userId, filters: { ...filter } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const [rows, total] = await Promise.all([
      this.rows(userId, filter, before.value, limit + 1),
      this.total(userId, filter),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ activityPosition: _, ...conversation }) => conversation,
      (row) => this.cursors.mint(binding, [row.activityPosition]),
    );
    return ok({ ...page, total });
  }

  private async rows(userId: UserId, filter: Filter, before: number | null, limit: number) {
    const rows = await this.database.query<Listed>(
      `SELECT ${listed} FROM {conversations}
       WHERE user_id = $1 AND activity_position < $2 AND (archived_at IS NOT NULL) = $3
         AND ($4::text IS NULL OR origin = $4) AND ($5::boolean IS NULL OR ${active} = $5)
       ORDER BY activity_position DESC LIMIT $6`,
      [userId, before ?? Number.MAX_SAFE_INTEGER, filter.archived, filter.origin ?? null, filter.active ?? null, limit],
    );
    return openMembers(this.keys, rows, ['title']);
  }

  /** The number of conversations that pass the filter, from maintained counters. */
  private async total(userId: UserId, filter: Filter): Promise<number> {
    const from = filter.origin === undefined ? origins : [filter.origin];
    const activities = filter.active === undefined ? [true, false] : [filter.active];
    const names = from.flatMap((origin) =>
      activities.map((isActive) => counterName(userId, origin, filter.archived, isActive)),
    );
    return this.database.counted('conversations', names);
  }
}

/** A page of a conversation's messages as JSON text, oldest first by their `seq`; those that left its line only where asked for. Refuses with `invalid_cursor`, `not_found`. */
export class ListMessages extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly page: ListMessagesDto,
  ) {
    super();
  }
}

const listedMessage = selectList(
  MessageRow,
  memberNames(Message).filter((name) => name !== 'artifactIds' && name !== 'superseded'),
);

const leftLine = `EXISTS (SELECT 1 FROM {superseded_parts} AS part WHERE part.conversation_id = {messages}.conversation_id
  AND {messages}.seq >= part.from_seq AND {messages}.seq < part.before_seq)`;

@QueryHandler(ListMessages)
class ListMessagesHandler implements IQueryHandler<ListMessages> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly states: FoldedStates,
    private readonly cursors: Cursors,
  ) {}

  async execute({
    userId,
    conversationId: id,
    page: { cursor, limit, superseded },
  }: ListMessages): Promise<Result<string>> {
    const binding = { list: 'conversations.messages', userId, filters: { id, superseded } };
    const after = this.cursors.startOf(binding, cursor);
    if (!after.ok) return after;
    const { state } = await this.states.fresh(conversationKind, id);
    if (state.userId !== userId) return refuse(notFound);
    const isWhole = state.superseded.length === 0;
    const rows = await this.rows(id, after.value ?? 0, limit + 1, isWhole ? 'false' : leftLine, superseded);
    return ok(pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position])));
  }

  private async rows(
    id: ConversationId,
    afterSeq: number,
    limit: number,
    left: string,
    all: boolean,
  ): Promise<TextRow[]> {
    const page = `SELECT row_to_json(message)::text AS text, {messages}.seq AS position
      FROM {messages} CROSS JOIN LATERAL (SELECT ${listedMessage}, ${left} AS "superseded") AS message
      WHERE conversation_id = $1 AND {messages}.seq > $2 ${all ? '' : `AND NOT ${left}`} ORDER BY {messages}.seq LIMIT $3`;
    const rows = await this.database.query<TextRow>(boundedPage(page, 'text', 'ASC'), [id, afterSeq, limit]);
    return openTexts(this.keys, rows, ['text'], messageOf);
  }
}

/** A row with its text opened, as the API shows it: a user's message is a part of the request that its run was started with. */
function messageOf({ role, text: opened, superseded, createdAt, ...row }: OpenedMessage): object {
  if (role === 'assistant' || isErased(opened))
    return { ...row, role, text: opened, artifactIds: [], superseded, createdAt };
  // Reason for the assertion: a row of a user's message has its input or the request, as JSON text where it was never sealed.
  const asked = (typeof opened === 'string' ? JSON.parse(opened) : opened) as RunRequest | RunRequestInput;
  const input = 'input' in asked ? asked.input : asked;
  // Ids are returned in lower case, however they were sent.
  const artifactIds = (input.artifactIds ?? []).map((artifactId) => artifactId.toLowerCase());
  return { ...row, role, text: input.text, artifactIds, superseded, createdAt };
}

type OpenedMessage = Readonly<Record<string, unknown>>;

export const conversationQueries = [GetConversationHandler, ListConversationsHandler, ListMessagesHandler];
