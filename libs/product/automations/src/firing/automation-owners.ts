import type { UserId } from '@app/kernel';

/** Whether runs may still be started for a user; the composition binds it to the accounts. */
export abstract class AutomationOwners {
  /** False once an operator has disabled the account. @throws Unavailable */
  abstract isActive(userId: UserId): Promise<boolean>;
}
