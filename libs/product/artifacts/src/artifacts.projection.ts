import { conversationKind, type ConversationEvent, type SealedContent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import type { Personal } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An artifact as lists show it. */
@Entity('artifacts')
export class ArtifactRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') userId: string;
  @Column('uuid') conversationId: string;
  @Column('text') name: Personal<string>;
  @Column('text') mediaType: Personal<string>;
  @Column('bigint') bytes: number;
  @Column('text') sha256: Personal<string>;
  /** The sealed file with its bytes; null if they lie unsealed under `sha256`. */
  @Column('jsonb', { nullable: true }) content: SealedContent | null;
  @Column('text') createdAt: string;
  /** Position of its `artifact.uploaded`, which lists are sorted by. */
  @Column('bigint') position: number;
}

export const artifactsMigrations = [
  migration(
    660,
    'CreateArtifacts',
    `
      CREATE TABLE artifacts (
        id uuid PRIMARY KEY, conversation_id uuid NOT NULL, name text NOT NULL, media_type text NOT NULL,
        bytes bigint NOT NULL, sha256 text NOT NULL, created_at text NOT NULL, position bigint NOT NULL);
      CREATE INDEX artifacts_newest ON artifacts (conversation_id, position DESC);
    `,
  ),
  // Artifacts have an owner, so that bytes can be counted by user. The table is filled again by its new version.
  migration(661, 'OwnArtifacts', 'ALTER TABLE artifacts ADD COLUMN user_id text'),
  migration(662, 'SealArtifacts', 'ALTER TABLE artifacts ADD COLUMN content jsonb'),
];

/** Table `artifacts`. */
export const artifactsProjection: Projection<ArtifactRow, ConversationEvent> = {
  name: 'artifacts',
  version: 3,
  row: ArtifactRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (event.type === 'artifact.uploaded' ? event.artifactId : null),
  isFirst: () => true,
  project: (_, { event, stream, position, metadata }) => {
    if (event.type !== 'artifact.uploaded') return null;
    const { artifactId: id, name, mediaType, bytes, sha256, content, at: createdAt } = event;
    const conversationId = idInStream(conversationKind, stream) ?? '';
    // Only their owners upload.
    const { id: userId } = metadata.actor;
    return { id, userId, conversationId, name, mediaType, bytes, sha256, content, createdAt, position };
  },
  counters: ({ conversationId }) => [conversationId],
  // Each counts with all of its bytes, even if others have the same ones.
  sums: ({ userId, bytes }) => ({ [`${userId}/bytes`]: bytes }),
};
