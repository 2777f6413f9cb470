import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { RunEnd } from '@app/conversations';
import { centsFromMicroCents } from '@app/kernel';
import { accountDisabledEnd, outOfBudgetEnd } from '@app/runs';
import type { ClaimedRun, OpenRun } from './claimed-run';
import { UserStandings } from './user-standings';

/** What a segment may spend, in cents. `admitStep` raises it in place. */
export interface Reservation {
  heldCents: number;
}

/** Admits segments that are claimed (reservation), and the model steps of all (account, freeze, budget). All methods throw Unavailable. */
@Injectable()
export class SegmentAdmission {
  constructor(
    private readonly budgets: Budgets,
    private readonly standings: UserStandings,
  ) {}

  /** Reserves budget for a segment that is to be claimed, unchecked; its slot it has already. */
  async admit({ run, cause }: OpenRun): Promise<Reservation> {
    const reserved = await this.budgets.reserve({ ...run, cause }, { checked: false });
    return { heldCents: reserved.ok ? reserved.value.heldCents : 0 };
  }

  /** Checks the account, a freeze, and whether the reservation covers the cost so far. Returns the run's end, or null to go on. */
  async admitStep({ run, cause, progress }: ClaimedRun, reservation: Reservation): Promise<RunEnd | null> {
    const { isActive, isFrozen } = await this.standings.of(run.userId);
    if (!isActive) return accountDisabledEnd;
    if (isFrozen) return outOfBudgetEnd;
    if (centsFromMicroCents(progress.segmentCostMicroCents) < reservation.heldCents) return null;
    const raised = await this.budgets.raise({ ...run, cause }, reservation);
    if (!raised.ok) return outOfBudgetEnd;
    reservation.heldCents = raised.value.heldCents;
    return null;
  }
}
