export { accountChanges, type UserEvent } from './user.events';
export { StoredAccounts, FindAccount, FindIdentity } from './accounts.queries';
export { EraseEarlierIdentity, EraseIdentities } from './erase-identities';
export { DisableUser, EnableUser, EraseUser } from './accounts.commands';
export { UsersModule } from './users.module';
export { usersGroup } from './users.contract';
export { userKind } from './user.stream';
export { identityKind } from './identity.stream';
export { usersReadModel, type UserRow } from './user.projection';
