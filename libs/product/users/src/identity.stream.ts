import type { StreamKind } from '@app/event-store';
import { asId, type IdentityId } from '@app/kernel';
import { identityKeyId } from '@app/sealing';
import { identityDecider, type IdentityCommand, type IdentityState } from './identity.decider';
import { identityMembers, type IdentityEvent } from './identity.events';

/** The stream `identity-<id>`: racing callers open it once, and its key is destroyed with those of its user. */
export const identityKind: StreamKind<IdentityState, IdentityCommand, IdentityEvent> = {
  category: 'identity',
  decider: identityDecider,
  members: identityMembers,
  sealedFor: (id, { userId }) => ({ keyId: identityKeyId(asId<IdentityId>(id)), userId }),
  stateVersion: 1,
};
