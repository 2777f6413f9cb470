import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { DeploymentControls } from '@app/deployment';
import type { UserId } from '@app/kernel';
import type { Present } from '../status/hindrances';
import { AutomationOwners } from '../firing/automation-owners';

type Switches = Pick<Present, 'isControlPaused' | 'isRunsControlPaused' | 'isUserActive' | 'budget'>;

/** Everything outside an automation that lets operators and caps keep it from starting a run. */
@Injectable()
export class FiringSwitches {
  constructor(
    private readonly controls: DeploymentControls,
    private readonly owners: AutomationOwners,
    private readonly budgets: Budgets,
  ) {}

  /** The present values, for the automations of that user. @throws Unavailable */
  async read(userId: UserId): Promise<Switches> {
    const [isControlPaused, isRunsControlPaused, isUserActive, { ok: hasRoom, frozen }] = await Promise.all([
      this.controls.isPaused('automations'),
      this.controls.isPaused('runs'),
      this.owners.isActive(userId),
      this.budgets.headroom(userId),
    ]);
    return {
      isControlPaused,
      isRunsControlPaused,
      isUserActive,
      budget: frozen ? 'frozen' : hasRoom ? 'open' : 'full',
    };
  }
}
