import { conversationKind, type ConversationEvent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { retentionKind, type WordsClosed } from './retention.stream';

/** An archived conversation, for the worker that closes the words of old ones. */
@Entity('archived_conversations')
export class ArchivedConversationRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') archivedAt: string;
  /** Whether its words are closed. */
  @Column('boolean') isClosed: boolean;
  @Column('bigint') position: number;
}

export const archivedConversationsMigrations = [
  migration(
    771,
    'CreateArchivedConversations',
    `
      CREATE TABLE archived_conversations (
        id uuid PRIMARY KEY, archived_at text COLLATE "C" NOT NULL, is_closed boolean NOT NULL, position bigint NOT NULL);
      CREATE INDEX archived_conversations_open ON archived_conversations (archived_at, id) WHERE NOT is_closed;
    `,
  ),
];

/** One row for each archived conversation. */
export const archivedConversationsProjection: Projection<ArchivedConversationRow, ConversationEvent | WordsClosed> = {
  name: 'archived_conversations',
  version: 1,
  row: ArchivedConversationRow,
  kinds: [conversationKind, retentionKind],
  keyOf: ({ stream }) => idInStream(conversationKind, stream) ?? idInStream(retentionKind, stream),
  project: (row, { stream, position, event }) => {
    const id = idInStream(conversationKind, stream);
    if (event.type === 'conversation.archived')
      return id === null ? row : { id, archivedAt: event.at, isClosed: false, position };
    return event.type === 'retention.words_closed' ? row && { ...row, isClosed: true, position } : row;
  },
};
