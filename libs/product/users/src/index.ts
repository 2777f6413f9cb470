export { accountChanges, type UserEvent } from './user.events';
export { StoredAccounts, FindAccount } from './accounts.queries';
export { DisableUser, EnableUser } from './accounts.commands';
export { UsersModule } from './users.module';
export { usersGroup } from './users.contract';
export { userKind } from './user.stream';
export { usersReadModel } from './user.projection';
