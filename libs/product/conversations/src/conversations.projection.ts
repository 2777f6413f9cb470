import { idInStream } from '@app/event-store';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConversationEvent } from './conversation.events';
import { conversationKind } from './conversation.stream';
import type { Personal } from '@app/kernel';
import type { RunRequest, RunRequestInput } from './run/run.schema';

/** A conversation as lists show it. */
@Entity('conversations')
export class ConversationRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('text', { nullable: true }) title: Personal<string | null>;
  @Column('text') origin: 'conversation' | 'automation';
  @Column('uuid', { nullable: true }) automationId: string | null;
  @Column('uuid', { nullable: true }) liveRunId: string | null;
  /** Oldest first. */
  @Column('jsonb') queuedRunIds: readonly string[];
  @Column('integer') pendingApprovals: number;
  @Column('integer') lastSeq: number;
  @Column('text') createdAt: string;
  @Column('text') lastActivityAt: string;
  @Column('text', { nullable: true }) archivedAt: string | null;
  /** Position of the last event that is activity: lists are sorted by it. */
  @Column('bigint') activityPosition: number;
  @Column('bigint') position: number;
}

/** A message of a conversation. */
@Entity('messages')
export class MessageRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') conversationId: string;
  @Column('integer') seq: number;
  @Column('uuid') runId: string;
  @Column('text') role: 'user' | 'assistant';
  /** The agent's words, or the user's input, in the request that it is a part of where it has one. */
  @Column('text') text: Personal<string | RunRequest | RunRequestInput>;
  @Column('text') createdAt: string;
  @Column('bigint') position: number;
}

/** A part of a conversation's journal that left its line. */
@Entity('superseded_parts')
class SupersededPartRow implements ReadModelRow {
  /** The message with which it begins. */
  @PrimaryColumn('uuid') messageId: string;
  @Column('uuid') conversationId: string;
  @Column('integer') fromSeq: number;
  /** The `seq` of the event that says so. */
  @Column('integer') beforeSeq: number;
  @Column('bigint') position: number;
}

const conversationsMigrations = [
  migration(
    10,
    'CreateConversations',
    `
      CREATE TABLE conversations (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, title text, origin text NOT NULL, automation_id uuid, live_run_id uuid,
        pending_approvals integer NOT NULL, last_seq integer NOT NULL, created_at text NOT NULL,
        last_activity_at text NOT NULL, archived_at text, activity_position bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX conversations_by_activity ON conversations (user_id, activity_position DESC);
      CREATE INDEX conversations_active ON conversations (user_id, activity_position DESC)
        WHERE live_run_id IS NOT NULL OR pending_approvals > 0;
      CREATE TABLE messages (
        id uuid PRIMARY KEY, conversation_id uuid NOT NULL, seq integer NOT NULL, run_id uuid NOT NULL, role text NOT NULL,
        text text NOT NULL, artifact_ids jsonb NOT NULL, created_at text NOT NULL, position bigint NOT NULL);
      CREATE INDEX messages_in_order ON messages (conversation_id, seq);
    `,
  ),
  // A user's message is sealed together with the request that it is a part of, its artifacts included. The table is filled again by its new
  // version.
  migration(11, 'MessagesInRequests', 'ALTER TABLE messages ALTER COLUMN artifact_ids DROP NOT NULL'),
  // Runs that wait to start. The table is filled again by its new version.
  migration(12, 'QueuedRuns', `ALTER TABLE conversations ADD COLUMN queued_run_ids jsonb NOT NULL DEFAULT '[]'`),
  migration(
    13,
    'SupersededParts',
    `
      CREATE TABLE superseded_parts (
        message_id uuid PRIMARY KEY, conversation_id uuid NOT NULL, from_seq integer NOT NULL, before_seq integer NOT NULL,
        position bigint NOT NULL);
      CREATE INDEX superseded_parts_in_order ON superseded_parts (conversation_id, from_seq);
    `,
  ),
];

/** Whether a run is live or waits for the user there (docs/decisions/artifacts-and-activity.md, "ConversationActivityItem"). */
function isActive(row: Pick<ConversationRow, 'liveRunId' | 'pendingApprovals'>): boolean {
  return row.liveRunId !== null || row.pendingApprovals > 0;
}

/** The name of the counter for one combination of the filters of the list. */
export function counterName(userId: string, origin: string, archived: boolean, active: boolean): string {
  return `${userId}/${origin}/${archived ? 'archived' : 'present'}/${active ? 'active' : 'resting'}`;
}

/** Table `conversations`. */
export const conversationsProjection: Projection<ConversationRow, ConversationEvent> = {
  name: 'conversations',
  version: 3,
  row: ConversationRow,
  kinds: [conversationKind],
  keyOf: ({ stream }) => idInStream(conversationKind, stream),
  isFirst: ({ revision }) => revision === 0,
  project: (row, { event, stream, revision, position }) => {
    const lastSeq = revision + 1;
    if (event.type === 'conversation.created') {
      const { userId, title, origin, automationId, at } = event;
      return {
        id: idInStream(conversationKind, stream) ?? '',
        userId,
        title,
        origin,
        automationId,
        liveRunId: null,
        queuedRunIds: [],
        pendingApprovals: 0,
        lastSeq,
        createdAt: at,
        lastActivityAt: at,
        archivedAt: null,
        activityPosition: position,
        position,
      };
    }
    if (row === null) return null;
    if (event.type === 'conversation.updated') return { ...row, title: event.title, lastSeq };
    if (event.type === 'message.rated') return { ...row, lastSeq };
    if (event.type === 'conversation.archived') return { ...row, archivedAt: event.at, lastSeq };
    return {
      ...row,
      liveRunId: liveRunAfter(row, event),
      queuedRunIds: queuedAfter(row, event),
      pendingApprovals: row.pendingApprovals + pendingChange(event),
      lastSeq,
      lastActivityAt: event.at,
      activityPosition: position,
    };
  },
  counters: (row) => [counterName(row.userId, row.origin, row.archivedAt !== null, isActive(row))],
};

function liveRunAfter(row: ConversationRow, event: ConversationEvent): string | null {
  if (event.type === 'run.started' || event.type === 'run.resumed') return event.runId;
  const leaves = event.type === 'run.ended' || event.type === 'run.suspended';
  return leaves && event.runId === row.liveRunId ? null : row.liveRunId;
}

function queuedAfter({ queuedRunIds }: ConversationRow, event: ConversationEvent): readonly string[] {
  if (event.type === 'input.queued') return [...queuedRunIds, event.runId];
  const leaves = event.type === 'run.started' || event.type === 'input.withdrawn' || event.type === 'run.ended';
  return leaves ? queuedRunIds.filter((id) => id !== event.runId) : queuedRunIds;
}

function pendingChange(event: ConversationEvent): number {
  if (event.type === 'approval.opened') return 1;
  return event.type === 'approval.decided' || event.type === 'approval.expired' ? -1 : 0;
}

type MessageEvent = Extract<ConversationEvent, { readonly type: 'run.started' | 'run.steered' | 'agent.message' }>;

function isMessage(event: ConversationEvent): event is MessageEvent {
  return event.type === 'run.started' || event.type === 'run.steered' || event.type === 'agent.message';
}

function wordsOf(event: MessageEvent): Pick<MessageRow, 'role' | 'text'> {
  if (event.type === 'agent.message') return { role: 'assistant', text: event.text };
  return { role: 'user', text: event.type === 'run.started' ? event.request : event.input };
}

/** Table `messages`: those of the user (inputs of runs) and those of the agent. */
export const messagesProjection: Projection<MessageRow, ConversationEvent> = {
  name: 'messages',
  version: 3,
  row: MessageRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (isMessage(event) ? event.messageId : null),
  // Each message has an id of its own; one that was not read by its run is replaced by the start of another.
  isFirst: () => true,
  project: (_, { event, stream, revision, position }) => {
    if (!isMessage(event)) return null;
    return {
      id: event.messageId,
      conversationId: idInStream(conversationKind, stream) ?? '',
      seq: revision + 1,
      runId: event.runId,
      ...wordsOf(event),
      createdAt: event.at,
      position,
    };
  },
};

/** Table `superseded_parts`. */
export const supersededPartsProjection: Projection<SupersededPartRow, ConversationEvent> = {
  name: 'superseded_parts',
  version: 1,
  row: SupersededPartRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (event.type === 'message.superseded' ? event.messageId : null),
  isFirst: () => true,
  project: (_, { event, stream, revision, position }) => {
    if (event.type !== 'message.superseded') return null;
    const { messageId, fromSeq } = event;
    const conversationId = idInStream(conversationKind, stream) ?? '';
    return { messageId, conversationId, fromSeq, beforeSeq: revision + 1, position };
  },
};

/** The slice's tables, migrations and projections in PostgreSQL. */
export const conversationsReadModel = {
  rows: [ConversationRow, MessageRow, SupersededPartRow],
  migrations: conversationsMigrations,
  projections: [conversationsProjection, messagesProjection, supersededPartsProjection],
};
