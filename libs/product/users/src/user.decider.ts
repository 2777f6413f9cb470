import { accept, because, notFound, reject, unreachable, type Decider, type Decision, type Instant } from '@app/kernel';
import type { UserEvent } from './user.events';

export type UserCommand =
  | { readonly type: 'EnsureUser'; readonly at: Instant; readonly issuer: string; readonly subject: string }
  /** By an operator, with a reason that is stored. */
  | { readonly type: 'DisableUser' | 'EnableUser'; readonly at: Instant; readonly reason: string }
  /** The account's keys are destroyed. */
  | { readonly type: 'EraseUser'; readonly at: Instant };

export interface UserState {
  readonly status: 'absent' | 'active' | 'disabled' | 'erased';
}

/** The rules of one account: one per identity, disabled or not (specification, "Authentication", rule 6), or erased for good. */
export const userDecider: Decider<UserState, UserCommand, UserEvent> = {
  initialState: { status: 'absent' },

  decide: (command, { status }) => {
    if (status === 'erased') return decideErased(command);
    switch (command.type) {
      case 'EnsureUser':
        // Provisioning cannot re-enable a disabled account.
        if (status === 'disabled') return reject(because('account_disabled'));
        if (status === 'active') return accept();
        return accept({
          type: 'user.provisioned',
          at: command.at,
          issuer: command.issuer,
          subject: command.subject,
        });
      case 'DisableUser':
        if (status === 'absent') return reject(notFound);
        if (status === 'disabled') return accept();
        return accept({ type: 'user.disabled', at: command.at, reason: command.reason });
      case 'EnableUser':
        if (status === 'absent') return reject(notFound);
        if (status === 'active') return accept();
        return accept({ type: 'user.enabled', at: command.at, reason: command.reason });
      case 'EraseUser':
        if (status === 'absent') return reject(notFound);
        return accept({ type: 'user.erased', at: command.at });
      default:
        return unreachable(command);
    }
  },

  evolve: (_state, event) => {
    switch (event.type) {
      case 'user.provisioned':
      case 'user.enabled':
        return { status: 'active' };
      case 'user.disabled':
        return { status: 'disabled' };
      case 'user.erased':
        return { status: 'erased' };
      default:
        return unreachable(event);
    }
  },
};

/** Nothing brings an erased account back. */
function decideErased({ type }: UserCommand): Decision<UserEvent> {
  return type === 'EnsureUser' || type === 'EnableUser' ? reject(because('account_disabled')) : accept();
}
