import type { StreamKind } from '@app/event-store';
import { asId, type UserId } from '@app/kernel';
import { sealedForUser } from '@app/sealing';
import { userDecider, type UserCommand, type UserState } from './user.decider';
import { userMembers, type UserEvent } from './user.events';

/** The stream `user-<userId>`: the identity's stream names one user, so concurrent provisionings write to one stream. */
export const userKind: StreamKind<UserState, UserCommand, UserEvent> = {
  category: 'user',
  decider: userDecider,
  members: userMembers,
  sealedFor: (id) => sealedForUser(asId<UserId>(id)),
  stateVersion: 1,
};
