import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A conversation as lists show it. */
@Entity('conversations')
export class ConversationRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'user_id' }) userId: string;
  @Column('text', { nullable: true }) title: string | null;
  @Column('text') origin: 'conversation' | 'automation';
  @Column('uuid', { name: 'automation_id', nullable: true }) automationId: string | null;
  @Column('uuid', { name: 'live_run_id', nullable: true }) liveRunId: string | null;
  @Column('integer', { name: 'pending_approvals' }) pendingApprovals: number;
  @Column('integer', { name: 'last_seq' }) lastSeq: number;
  @Column('text', { name: 'created_at' }) createdAt: string;
  @Column('text', { name: 'last_activity_at' }) lastActivityAt: string;
  @Column('text', { name: 'archived_at', nullable: true }) archivedAt: string | null;
  /** Position of the last event that is activity: lists are sorted by it. */
  @Column('bigint', { name: 'activity_position' }) activityPosition: number;
  @Column('bigint') position: number;
}

/** A message of a conversation. */
@Entity('messages')
export class MessageRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'conversation_id' }) conversationId: string;
  @Column('integer') seq: number;
  @Column('uuid', { name: 'run_id' }) runId: string;
  @Column('text') role: 'user' | 'assistant';
  @Column('text') text: string;
  @Column('jsonb', { name: 'artifact_ids' }) artifactIds: readonly string[];
  @Column('text', { name: 'created_at' }) createdAt: string;
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
