import type { StreamKind } from '@app/event-store';
import { userDecider, type UserCommand, type UserState } from './user.decider';
import type { UserEvent } from './user.events';

/** `user-<userId>`: the id derives from issuer and subject, so racing provisionings meet in one stream. */
export const userKind: StreamKind<UserState, UserCommand, UserEvent> = {
  category: 'user',
  decider: userDecider,
  stateVersion: 1,
};
