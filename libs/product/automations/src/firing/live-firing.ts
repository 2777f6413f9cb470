import { Injectable } from '@nestjs/common';
import { DeploymentControls } from '@app/deployment';
import { KeyedQueue } from '@app/event-store';
import { Clock, type Cause } from '@app/kernel';
import { Timers } from '@app/timers';
import { AutomationOwners } from './automation-owners';
import { AutomationStreams } from './automation-streams';
import type { FiringPorts } from './firing-ports';
import { OccurrenceAdmission } from './occurrence-admission';
import { RuleEvaluations } from './rule-evaluations';

/** Maximum number of admissions of one automation that wait for each other in one process. */
const waitingMax = 1_000;

/** Implements the ports of firing with the product's services. */
@Injectable()
export class LiveFiring {
  private readonly admissions = new KeyedQueue(waitingMax);

  constructor(
    private readonly automations: AutomationStreams,
    private readonly looks: RuleEvaluations,
    private readonly admission: OccurrenceAdmission,
    private readonly controls: DeploymentControls,
    private readonly owners: AutomationOwners,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** @param cause the cause of everything that is recorded */
  world(cause: Cause): FiringPorts {
    return {
      now: () => this.clock.now(),
      fold: (automationId) => this.automations.fold(automationId),
      recall: (automationId) => this.automations.recall(automationId),
      record: (automationId, command) => this.automations.record(automationId, command, cause),
      readings: (automation, at, delivered) => this.looks.readings(automation, at, delivered),
      looked: (automationId, look) => this.looks.keep(automationId, look),
      isPaused: () => this.controls.isPaused('automations'),
      isActive: (userId) => this.owners.isActive(userId),
      placeFor: (automationId, automation, occurrence) => this.admission.placeFor(automationId, automation, occurrence),
      admit: (automationId, automation, place) => this.admission.admit(automationId, automation, place, cause),
      inTurn: (automationId, admission) => this.admissions.run(automationId, admission),
      schedule: (timer) => this.timers.schedule(timer),
    };
  }
}
