import { idInStream } from '@app/event-store';
import { unreachable, type Personal } from '@app/kernel';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserEvent } from './user.events';
import { userKind } from './user.stream';

/** An account for admission and for operators. */
@Entity('users')
export class UserRow {
  @PrimaryColumn('uuid') userId: string;
  @Column('text') issuer: Personal<string>;
  @Column('text') subject: Personal<string>;
  @Column('boolean') disabled: boolean;
  @Column('text') provisionedAt: string;
  @Column('bigint') position: number;
}

const usersMigrations = [
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

/** One row for each account. */
const usersProjection: Projection<UserRow, UserEvent> = {
  name: 'users',
  version: 1,
  row: UserRow,
  kinds: [userKind],
  keyOf: ({ stream }) => idInStream(userKind, stream),
  project: (row, { stream, position, event }) => {
    switch (event.type) {
      case 'user.provisioned': {
        const userId = idInStream(userKind, stream);
        if (userId === null) return row;
        const { issuer, subject, at: provisionedAt } = event;
        return { userId, issuer, subject, disabled: false, provisionedAt, position };
      }
      case 'user.disabled':
      case 'user.erased':
        return row && { ...row, disabled: true, position };
      case 'user.enabled':
        return row && { ...row, disabled: false, position };
      default:
        return unreachable(event);
    }
  },
};

/** The slice's tables and projections in PostgreSQL. */
export const usersReadModel = {
  rows: [UserRow],
  migrations: usersMigrations,
  projections: [usersProjection],
};
