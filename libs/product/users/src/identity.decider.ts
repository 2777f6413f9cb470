import { accept, because, openOr, reject, unreachable, type Decider, type Instant, type UserId } from '@app/kernel';
import type { IdentityEvent } from './identity.events';

export type IdentityCommand =
  | { readonly type: 'OpenIdentity'; readonly at: Instant; readonly userId: UserId }
  | { readonly type: 'EraseIdentity'; readonly at: Instant };

export interface IdentityState {
  readonly status: 'absent' | 'opened' | 'erased';
  /** Whether its stream says that it is erased; without that, it counts as erased because its key is gone. */
  readonly isRecorded?: boolean;
  /** Null unless it is opened. */
  readonly userId: UserId | null;
}

/** The rules of one identity: it is one user, for ever, until it is erased for good (docs/decisions/personal-data.md). */
export const identityDecider: Decider<IdentityState, IdentityCommand, IdentityEvent> = {
  initialState: { status: 'absent', userId: null },

  decide: (command, { status, isRecorded = false }) => {
    switch (command.type) {
      case 'OpenIdentity':
        if (status === 'erased') return reject(because('account_disabled'));
        // A race was lost: the state has the user of the winner.
        if (status === 'opened') return accept();
        return accept({ type: 'identity.opened', at: command.at, userId: command.userId });
      case 'EraseIdentity':
        // One that has no event yet is that of an account from before this version.
        return isRecorded ? accept() : accept({ type: 'identity.erased', at: command.at });
      default:
        return unreachable(command);
    }
  },

  evolve: (_state, event) => {
    switch (event.type) {
      case 'identity.opened': {
        // Its key is destroyed before the event that says so is appended.
        const userId = openOr(event.userId, null);
        return userId === null ? erasedIdentity : { status: 'opened', userId };
      }
      case 'identity.erased':
        return { ...erasedIdentity, isRecorded: true };
      default:
        return unreachable(event);
    }
  },
};

const erasedIdentity: IdentityState = { status: 'erased', userId: null };
