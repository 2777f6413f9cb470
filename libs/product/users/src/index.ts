export { accountChanges, type UserEvent } from './user.events';
export { StoredAccounts } from './accounts.queries';
export { DisableUser } from './disable-user';
export { EnableUser } from './enable-user';
export { FindAccount } from './find-account';
export { UsersModule, usersReadModel } from './users.module';
export { usersGroup } from './users.contract';
export { userKind } from './user.stream';
