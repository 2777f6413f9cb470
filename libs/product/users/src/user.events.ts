import type { Instant } from '@app/kernel';

/** The facts of one account's stream. */
export type UserEvent =
  | { readonly type: 'user.provisioned'; readonly at: Instant; readonly issuer: string; readonly subject: string }
  | { readonly type: 'user.disabled'; readonly at: Instant; readonly reason: string }
  | { readonly type: 'user.enabled'; readonly at: Instant; readonly reason: string };

/** Types of the events that enable and disable an account. */
export const accountChanges: readonly UserEvent['type'][] = ['user.disabled', 'user.enabled'];
