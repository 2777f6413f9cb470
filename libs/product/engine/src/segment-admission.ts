import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { RunEnd } from '@app/conversations';
import { centsFromMicroCents } from '@app/kernel';
import { accountDisabledEnd, ExecutionSlots, outOfBudgetEnd } from '@app/runs';
import { ActiveAccounts } from './active-accounts';
import type { ClaimedRun, OpenRun } from './claimed-run';

/** What a segment may spend. `admitStep` raises it. */
export interface Reservation {
  heldCents: number;
}

/** Whether a segment may execute, and each of its model steps: slot, account, freeze and budget. All methods throw Unavailable. */
@Injectable()
export class SegmentAdmission {
  constructor(
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly accounts: ActiveAccounts,
  ) {}

  /** Reserves for the segment, unchecked, and takes its slot; null where none is free. */
  async admit({ run, cause }: OpenRun): Promise<Reservation | null> {
    const reserved = await this.budgets.reserve({ ...run, cause }, { checked: false });
    if (!(await this.slots.acquire(run))) return null;
    return { heldCents: reserved.ok ? reserved.value.heldCents : 0 };
  }

  /** Gives back what was taken for a segment that had ended meanwhile, and so was closed before. */
  async giveBack({ run, cause }: OpenRun): Promise<void> {
    await this.slots.release(run);
    await this.budgets.release({ ...run, cause });
  }

  /** Looks at the account, then a freeze, then whether the reservation still covers the segment. Null, or the end of the run. */
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
