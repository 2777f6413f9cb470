import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An artifact as lists show it. */
@Entity('artifacts')
export class ArtifactRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') userId: string;
  @Column('uuid') conversationId: string;
  @Column('text') name: string;
  @Column('text') mediaType: string;
  @Column('bigint') bytes: number;
  @Column('text') sha256: string;
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
  // Whose they are, so that their bytes can be counted. The table is filled again by its new version.
  migration(661, 'OwnArtifacts', 'ALTER TABLE artifacts ADD COLUMN user_id text'),
];
