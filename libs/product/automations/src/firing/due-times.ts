import { Injectable } from '@nestjs/common';
import { Clock, type AutomationId, type Instant } from '@app/kernel';
import { Timers } from '@app/timers';
import type { AutomationDefinition } from '../definition/automation-definition';
import { nextDue } from '../definition/schedule';
import { dueTimer, endTimer } from './firing-timers';

/** The timers by which an activation fires and ends. */
@Injectable()
export class DueTimes {
  constructor(
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /**
   * Schedules an activation's timers, before the append that begins it; without that append the timers find nothing to
   * do. Where no due time follows, the timer is due at once and completes the automation.
   * @throws Unavailable
   *
   * @param after due times up to this instant do not belong to the activation
   */
  async schedule(
    automationId: AutomationId,
    { wake, firing }: Pick<AutomationDefinition, 'wake' | 'firing'>,
    epoch: string,
    epochAt: Instant,
    after: Instant,
  ): Promise<void> {
    if (firing.endAt !== undefined) await this.timers.schedule(endTimer(automationId, epoch, firing.endAt));
    if (wake.kind !== 'schedule') return;
    const dueAt = nextDue(wake.schedule, epochAt, after) ?? this.clock.now();
    await this.timers.schedule(dueTimer(automationId, epoch, dueAt));
  }
}
