import { migration } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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

export const usersMigrations = [
  migration(
    200,
    'CreateUsers',
    `
      CREATE TABLE users (
        user_id uuid PRIMARY KEY, issuer text NOT NULL, subject text NOT NULL,
        disabled boolean NOT NULL, provisioned_at text NOT NULL, position bigint NOT NULL);
    `,
  ),
];
