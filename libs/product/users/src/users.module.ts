import { Module } from '@nestjs/common';
import { Accounts } from '@app/http';
import { StoredAccounts } from './accounts.queries';
import { DisableUserHandler } from './disable-user';
import { EnableUserHandler } from './enable-user';
import { FindAccountHandler } from './find-account';
import { UsersController, usersHandlers } from './users.controller';
import { UserRow, usersMigrations, usersProjection } from './user.projection';

/** Accounts; binds admission's port for reading them. */
@Module({
  controllers: [UsersController],
  providers: [
    ...usersHandlers,
    DisableUserHandler,
    EnableUserHandler,
    FindAccountHandler,
    StoredAccounts,
    { provide: Accounts, useExisting: StoredAccounts },
  ],
  exports: [StoredAccounts, Accounts],
})
export class UsersModule {}

/** The slice's tables and projections in PostgreSQL. */
export const usersReadModel = {
  rows: [UserRow],
  migrations: usersMigrations,
  projections: [usersProjection],
};
