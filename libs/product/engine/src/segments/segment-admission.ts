import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { centsFromMicroCents, microCentsPerCent, type RunEnd } from '@app/conversations';
import { accountDisabledEnd, outOfBudgetEnd } from '@app/runs';
import type { ClaimedRun, OpenRun } from '../run/claimed-run';
import type { Allowance } from '../models/model';
import { UserEligibility } from './user-eligibility';

/** The amount that a segment may spend, in cents. `admitStep` and allowances raise it in place. */
export interface Reservation {
  heldCents: number;
}

/** Admits segments that are claimed (reservation), and the model steps of all (account, freeze, budget). All methods throw Unavailable. */
@Injectable()
export class SegmentAdmission {
  constructor(
    private readonly budgets: Budgets,
    private readonly standings: UserEligibility,
  ) {}

  /** Reserves budget for a segment that is to be claimed, unchecked; it already has its slot. */
  async admit({ run, cause }: OpenRun): Promise<Reservation> {
    const reserved = await this.budgets.reserve({ ...run, cause }, { checked: false });
    return { heldCents: reserved.ok ? reserved.value.heldCents : 0 };
  }

  /** Checks the account, a freeze, and whether the reservation covers the cost so far. Returns the run's end, or null to continue. */
  async admitStep({ run, cause, progress }: ClaimedRun, reservation: Reservation): Promise<RunEnd | null> {
    const { isActive, isFrozen } = await this.standings.of(run.userId);
    if (!isActive) return accountDisabledEnd;
    if (isFrozen) return outOfBudgetEnd;
    if (centsFromMicroCents(progress.segmentCostMicroCents) < reservation.heldCents) return null;
    return (await this.raise({ run, cause }, reservation, 1)) ? null : outOfBudgetEnd;
  }

  /** The part of the reservation that the segment's next step may cost; raised as far as the step needs it. */
  allowanceOf(claimed: ClaimedRun, reservation: Reservation): Allowance {
    const left = () => reservation.heldCents * microCentsPerCent - claimed.progress.segmentCostMicroCents;
    return {
      cover: async ({ least, wanted }) => {
        for (const needed of [wanted, least]) {
          if (left() >= needed || (await this.raise(claimed, reservation, needed - left()))) return left();
        }
        return null;
      },
    };
  }

  /** Raises the reservation in steps of RUN_RESERVATION_CENTS until it includes the micro-cents. False if the caps refuse that. */
  private async raise(
    { run, cause }: Pick<ClaimedRun, 'run' | 'cause'>,
    reservation: Reservation,
    microCents: number,
  ): Promise<boolean> {
    const raised = await this.budgets.raise({ ...run, cause }, reservation, centsFromMicroCents(microCents));
    if (raised.ok) reservation.heldCents = raised.value.heldCents;
    return raised.ok;
  }
}
