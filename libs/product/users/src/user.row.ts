import { Column, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

/** An account as admission looks it up and as operators see it. */
@Entity('users')
export class UserRow {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId: string;

  @Column({ name: 'issuer', type: 'text' })
  issuer: string;

  @Column({ name: 'subject', type: 'text' })
  subject: string;

  @Column({ name: 'disabled', type: 'boolean' })
  disabled: boolean;

  @Column({ name: 'provisioned_at', type: 'text' })
  provisionedAt: string;

  @Column({ name: 'position', type: 'bigint' })
  position: number;
}

export class CreateUsers1700000000200 implements MigrationInterface {
  name = 'CreateUsers1700000000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        user_id uuid PRIMARY KEY, issuer text NOT NULL, subject text NOT NULL,
        disabled boolean NOT NULL, provisioned_at text NOT NULL, position bigint NOT NULL);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE users');
  }
}
