import type { Instant, MarksOf, Personal } from '@app/kernel';

/** The facts of one account's stream. */
export type UserEvent =
  | {
      readonly type: 'user.provisioned';
      readonly at: Instant;
      readonly issuer: Personal<string>;
      readonly subject: Personal<string>;
    }
  | { readonly type: 'user.disabled'; readonly at: Instant; readonly reason: string }
  | { readonly type: 'user.enabled'; readonly at: Instant; readonly reason: string }
  /** The account's keys are destroyed; nothing brings it back. */
  | { readonly type: 'user.erased'; readonly at: Instant };

/** Operators' reasons are clear: they are the deployment's own records, and docs/privacy.md says to name nobody in them. */
export const userMembers: MarksOf<UserEvent> = {
  'user.provisioned': { issuer: 'personal', subject: 'personal' },
  'user.disabled': { reason: 'clear' },
  'user.enabled': { reason: 'clear' },
  'user.erased': {},
};

/** Types of the events that enable and disable an account. */
export const accountChanges: readonly UserEvent['type'][] = ['user.disabled', 'user.enabled', 'user.erased'];
