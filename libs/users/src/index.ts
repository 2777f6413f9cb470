import { usersProjection } from './user.projection';
import { CreateUsers1700000000200, UserRow } from './user.row';

export { StoredAccounts } from './accounts.queries';
export { DisableUser, type AccountChange } from './disable-user';
export { EnsureUser, type Identity } from './ensure-user';
export type { UserState } from './user.decider';
export type { UserEvent } from './user.events';
export { userKind } from './user.stream';
export type { UserView } from './users.controller';
export { UsersModule } from './users.module';

/** What the composition root gives to the read store. */
export const usersReadModel = {
  rows: [UserRow],
  migrations: [CreateUsers1700000000200],
  projections: [usersProjection],
};
