import type { StreamKind } from '@app/event-store';
import { userDecider, type UserCommand, type UserState } from './user.decider';
import type { UserEvent } from './user.events';

/** The stream `user-<userId>`: the id derives from issuer and subject, so concurrent provisionings write to one stream. */
export const userKind: StreamKind<UserState, UserCommand, UserEvent> = {
  category: 'user',
  decider: userDecider,
  stateVersion: 1,
};
