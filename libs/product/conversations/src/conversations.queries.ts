import { Injectable } from '@nestjs/common';
import type { TextRow } from '@app/http';
import type { Instant, UserId } from '@app/kernel';
import { boundedPage, Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { pendingApprovals, type ConversationState } from './conversation.state';
import type { Origin } from './conversation.events';
import { ConversationRow, listedAs, MessageRow } from './conversations.projection';
import { Conversation, Message, type ConversationView } from './conversation.schema';

export interface ConversationFilter {
  readonly origin?: Origin;
  readonly archived: boolean;
  readonly active?: boolean;
}

/** A listed conversation with the key that it is sorted by. */
export type ListedConversation = ConversationView & Pick<ConversationRow, 'activityPosition'>;

const listed = selectList(ConversationRow, [...memberNames(Conversation), 'activityPosition'], {
  computed: {
    status: `CASE WHEN live_run_id IS NOT NULL THEN 'running' WHEN pending_approvals > 0 THEN 'awaiting_approval' ELSE 'idle' END`,
  },
});

const active = '(live_run_id IS NOT NULL OR pending_approvals > 0)';

/** What is read of conversations and their messages in PostgreSQL. */
@Injectable()
export class ConversationQueries {
  constructor(private readonly database: Database) {}

  /** Conversations of a user, most recently active first, strictly after a sort key. */
  async list(
    userId: UserId,
    filter: ConversationFilter,
    before: number | null,
    limit: number,
  ): Promise<ListedConversation[]> {
    return this.database.query<ListedConversation>(
      `SELECT ${listed} FROM conversations
       WHERE user_id = $1 AND activity_position < $2 AND (archived_at IS NOT NULL) = $3
         AND ($4::text IS NULL OR origin = $4) AND ($5::boolean IS NULL OR ${active} = $5)
       ORDER BY activity_position DESC LIMIT $6`,
      [userId, before ?? Number.MAX_SAFE_INTEGER, filter.archived, filter.origin ?? null, filter.active ?? null, limit],
    );
  }

  /** How many conversations the filter lets through, from kept counters. */
  async total(userId: UserId, filter: ConversationFilter): Promise<number> {
    const origins = filter.origin === undefined ? ['conversation', 'automation'] : [filter.origin];
    const activities = filter.active === undefined ? [true, false] : [filter.active];
    const names = origins.flatMap((origin) =>
      activities.map((isActive) => `conversations/${listedAs(userId, origin, filter.archived, isActive)}`),
    );
    const [row] = await this.database.query<{ total: number }>(
      'SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters WHERE name = ANY($1)',
      [names],
    );
    return row?.total ?? 0;
  }

  /** Messages of a conversation as JSON text, oldest first by their `seq`, strictly after one. */
  async messages(conversationId: string, afterSeq: number, limit: number): Promise<TextRow[]> {
    const page = `SELECT row_to_json(message)::text AS text, messages.seq AS position
      FROM messages CROSS JOIN LATERAL (SELECT ${selectList(MessageRow, memberNames(Message))}) AS message
      WHERE conversation_id = $1 AND messages.seq > $2 ORDER BY messages.seq LIMIT $3`;
    return this.database.query(boundedPage(page, 'text', 'ASC'), [conversationId, afterSeq, limit]);
  }
}

/** The view of a folded conversation: exactly the state at `lastSeq`, so that a stream opened there misses nothing. */
export function conversationView(id: string, state: ConversationState): ConversationView {
  return {
    id,
    title: state.title,
    origin: state.origin,
    automationId: state.automationId,
    status: statusOf(state),
    liveRunId: state.liveRunId,
    pendingApprovals: pendingApprovals(state),
    lastSeq: state.lastSeq,
    createdAt: existing(state.createdAt),
    lastActivityAt: existing(state.lastActivityAt),
    archivedAt: state.archivedAt,
  };
}

/** A live run wins over pending approvals. */
function statusOf(state: ConversationState): ConversationView['status'] {
  if (state.liveRunId !== null) return 'running';
  return pendingApprovals(state) > 0 ? 'awaiting_approval' : 'idle';
}

function existing(instant: Instant | null): Instant {
  if (instant === null) throw new Error('a conversation that does not exist has no view');
  return instant;
}
