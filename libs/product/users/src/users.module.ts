import { Module } from '@nestjs/common';
import { Accounts } from '@app/http';
import { FindAccountHandler, FindIdentityHandler, StoredAccounts } from './accounts.queries';
import { identityHandlers } from './erase-identities';
import { Identities } from './identities';
import { IdentityKey } from './identity-key';
import { userHandlers } from './accounts.commands';
import { UsersController } from './users.controller';

/** Accounts; binds admission's port for reading them. */
@Module({
  controllers: [UsersController],
  providers: [
    ...identityHandlers,
    ...userHandlers,
    FindAccountHandler,
    FindIdentityHandler,
    Identities,
    IdentityKey,
    StoredAccounts,
    { provide: Accounts, useExisting: StoredAccounts },
  ],
  exports: [StoredAccounts, Accounts, IdentityKey],
})
export class UsersModule {}
