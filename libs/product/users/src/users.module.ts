import { Module } from '@nestjs/common';
import { Accounts } from '@app/http';
import { StoredAccounts } from './accounts.queries';
import { DisableUser } from './disable-user';
import { EnsureUser } from './ensure-user';
import { UsersController } from './users.controller';
import { UserRow, usersMigrations, usersProjection } from './user.projection';

/** Accounts; binds the port by which admission looks them up. */
@Module({
  controllers: [UsersController],
  providers: [EnsureUser, DisableUser, StoredAccounts, { provide: Accounts, useExisting: StoredAccounts }],
  exports: [EnsureUser, DisableUser, StoredAccounts, Accounts],
})
export class UsersModule {}

/** What the slice keeps in PostgreSQL. */
export const usersReadModel = {
  rows: [UserRow],
  migrations: usersMigrations,
  projections: [usersProjection],
};
