import type { ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

/** An artifact as lists show it. */
@Entity('artifacts')
export class ArtifactRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('uuid', { name: 'conversation_id' }) conversationId: string;
  @Column('text') name: string;
  @Column('text', { name: 'media_type' }) mediaType: string;
  @Column('bigint') bytes: number;
  @Column('text') sha256: string;
  @Column('text', { name: 'created_at' }) createdAt: string;
  /** Position of its `artifact.uploaded`, which lists are sorted by. */
  @Column('bigint') position: number;
}

export class CreateArtifacts1700000000660 implements MigrationInterface {
  name = 'CreateArtifacts1700000000660';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE artifacts (
        id uuid PRIMARY KEY, conversation_id uuid NOT NULL, name text NOT NULL, media_type text NOT NULL,
        bytes bigint NOT NULL, sha256 text NOT NULL, created_at text NOT NULL, position bigint NOT NULL);
      CREATE INDEX artifacts_newest ON artifacts (conversation_id, position DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE artifacts');
  }
}

/** Whose they are, so that their bytes can be counted. The table is filled again by its new version. */
export class OwnArtifacts1700000000661 implements MigrationInterface {
  name = 'OwnArtifacts1700000000661';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE artifacts ADD COLUMN user_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE artifacts DROP COLUMN user_id');
  }
}
