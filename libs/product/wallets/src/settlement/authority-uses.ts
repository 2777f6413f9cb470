import { Injectable } from '@nestjs/common';
import type { ApprovalId, AutomationId, Cause } from '@app/kernel';

/** The total that an operation under an automation's contract is about to have moved, including its next action. */
export interface HeldUse {
  readonly automationId: AutomationId;
  /** The approval of the tool call; it identifies the use. */
  readonly approvalId: ApprovalId;
  /** In US dollars, as decimal text. */
  readonly usd: string;
}

/** `suspended`: not now, but possible later. `exceeded`: the authority has less left, or has ended. */
export type Hold = 'held' | 'suspended' | 'exceeded';

/** Counts the uses of automations' contracts. */
export interface AuthorityLedger {
  /**
   * Reserves the use if the contract has that much left after everything counted for other uses; check and reservation
   * are one append. Idempotent: reserving the same amount or less again changes nothing. @throws Unavailable
   */
  hold(use: HeldUse, cause: Cause): Promise<Hold>;
}

/** Gives access to the ledger, which another slice implements and registers with `offer` when it is created. */
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
