import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { RunEnd } from '@app/conversations';
import { centsFromMicroCents } from '@app/kernel';
import { accountDisabledEnd, ExecutionSlots, outOfBudgetEnd } from '@app/runs';
import { ActiveAccounts } from './active-accounts';
import type { ClaimedRun, OpenRun } from './claimed-run';

/** What a segment may spend, in cents. `admitStep` raises it in place. */
export interface Reservation {
  heldCents: number;
}

/** Admits segments (slot, reservation) and their model steps (account, freeze, budget). All methods throw Unavailable. */
@Injectable()
export class SegmentAdmission {
  constructor(
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly accounts: ActiveAccounts,
  ) {}

  /** Reserves budget for the segment, unchecked, and acquires its slot. Null when no slot is free. */
  async admit({ run, cause }: OpenRun): Promise<Reservation | null> {
    const reserved = await this.budgets.reserve({ ...run, cause }, { checked: false });
    if (!(await this.slots.acquire(run))) return null;
    return { heldCents: reserved.ok ? reserved.value.heldCents : 0 };
  }

  /** Releases slot and reservation of a segment that ended before it could be claimed. */
  async giveBack({ run, cause }: OpenRun): Promise<void> {
    await this.slots.release(run);
    await this.budgets.release({ ...run, cause });
  }

  /** Checks the account, a freeze, and whether the reservation covers the cost so far. Returns the run's end, or null to go on. */
  async admitStep({ run, cause, progress }: ClaimedRun, reservation: Reservation): Promise<RunEnd | null> {
    if (!(await this.accounts.isActive(run.userId))) return accountDisabledEnd;
    if ((await this.budgets.headroom(run.userId)).frozen) return outOfBudgetEnd;
    if (centsFromMicroCents(progress.segmentCostMicroCents) < reservation.heldCents) return null;
    const raised = await this.budgets.raise({ ...run, cause }, reservation);
    if (!raised.ok) return outOfBudgetEnd;
    reservation.heldCents = raised.value.heldCents;
    return null;
  }
}
