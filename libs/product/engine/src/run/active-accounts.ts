import type { UserId } from '@app/kernel';

/** Whether a run may still continue for its user; the composition binds it to the accounts. */
export abstract class ActiveAccounts {
  /** Types of the events that change it. */
  abstract readonly changedBy: readonly string[];
  /** False once an operator has disabled the account. @throws Unavailable */
  abstract isActive(userId: UserId): Promise<boolean>;
}
