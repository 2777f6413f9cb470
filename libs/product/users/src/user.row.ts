import { migration } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account as admission looks it up and as operators see it. */
@Entity('users')
export class UserRow {
  @PrimaryColumn('uuid') userId: string;
  @Column('text') issuer: string;
  @Column('text') subject: string;
  @Column('boolean') disabled: boolean;
  @Column('text') provisionedAt: string;
  @Column('bigint') position: number;
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
