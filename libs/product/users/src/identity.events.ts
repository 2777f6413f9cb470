import type { Instant, MarksOf, Personal, UserId } from '@app/kernel';

/** The facts of one identity of a login provider: which user it is, until that is erased. */
export type IdentityEvent =
  | { readonly type: 'identity.opened'; readonly at: Instant; readonly userId: Personal<UserId> }
  | { readonly type: 'identity.erased'; readonly at: Instant };

export const identityMembers: MarksOf<IdentityEvent> = {
  'identity.opened': { userId: 'personal' },
  'identity.erased': {},
};
