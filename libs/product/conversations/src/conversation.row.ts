import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A conversation as lists show it. */
@Entity('conversations')
export class ConversationRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('text', { nullable: true }) title: string | null;
  @Column('text') origin: 'conversation' | 'automation';
  @Column('uuid', { nullable: true }) automationId: string | null;
  @Column('uuid', { nullable: true }) liveRunId: string | null;
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
  @Column('text') text: string;
  @Column('jsonb') artifactIds: readonly string[];
  @Column('text') createdAt: string;
  @Column('bigint') position: number;
}

export const conversationsMigrations = [
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
];
