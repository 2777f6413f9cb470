export { StoredAccounts } from './accounts.queries';
export { DisableUser, type AccountChange } from './disable-user';
export { EnsureUser, type Identity } from './ensure-user';
export type { UserState } from './user.decider';
export type { UserEvent } from './user.events';
export { userKind } from './user.stream';
export type { UserView } from './users.controller';
export { UsersModule, usersReadModel } from './users.module';
