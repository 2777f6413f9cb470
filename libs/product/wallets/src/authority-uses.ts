import { Injectable } from '@nestjs/common';
import type { ApprovalId, AutomationId, Cause } from '@app/kernel';

/** What an operation that an automation's contract covers is about to have moved in all, its next action included. */
export interface HeldUse {
  readonly automationId: AutomationId;
  /** The approval of the call, which names the use. */
  readonly approvalId: ApprovalId;
  /** In US dollars: a decimal text. */
  readonly usd: string;
}

/** `suspended`: not now, but perhaps later. `exceeded`: the authority leaves less, or is over. */
export type Hold = 'held' | 'suspended' | 'exceeded';

/** Where the uses of automations' contracts are counted. */
export interface AuthorityLedger {
  /**
   * Whether the use has so much left, by all that was counted for others; then it is counted for this one, in one append. Idempotent:
   * so much, or less, is held once. @throws Unavailable
   */
  hold(use: HeldUse, cause: Cause): Promise<Hold>;
}

/** The ledger, which another slice keeps: it offers itself when it is made. */
@Injectable()
export class AuthorityUses implements AuthorityLedger {
  private ledger: AuthorityLedger | null = null;

  offer(ledger: AuthorityLedger): void {
    this.ledger = ledger;
  }

  async hold(use: HeldUse, cause: Cause): Promise<Hold> {
    if (this.ledger === null) throw new Error('no uses of contracts are counted here');
    return this.ledger.hold(use, cause);
  }
}
