import { Injectable } from '@nestjs/common';
import { Clock, type AutomationId, type Instant, type Cause } from '@app/kernel';
import { DeploymentControls } from '@app/deployment';
import { KeyedQueue } from '@app/event-store';
import { Timers } from '@app/timers';
import type { Automation } from '../automation/automation.state';
import type { Readings } from '../condition/condition';
import { factsOf } from '../condition/readings';
import { symbolIn } from '../condition/token-symbols';
import { Sampler } from '../sources/sampler';
import { readingsAt } from '../sources/source-sample';
import { AutomationChecks } from '../status/automation-checks';
import { AutomationOwners, type Delivered, type Look, type FiringPorts } from './firing-ports';
import { AutomationStreams } from './automation-streams';
import { OccurrenceAdmission } from './occurrence-admission';

/** The status view's word for each verdict. */
const outcomes = { true: 'matched', false: 'not_matched', unknown: 'unknown' } as const;

/** Reads the sources for live evaluations of rules, and stores the outcomes. All methods throw Unavailable. */
@Injectable()
export class RuleEvaluations {
  constructor(
    private readonly sampler: Sampler,
    private readonly checks: AutomationChecks,
  ) {}

  /** The readings of the condition's sources at that instant. */
  async readings(
    { userId, definition: { condition } }: Automation,
    at: Instant,
    delivered: Delivered | null,
  ): Promise<Readings> {
    return readingsAt(condition, await this.sampler.look(userId, condition, at), at, delivered);
  }

  /** Stores the evaluation as the last one, for the status view. */
  async keep(automationId: AutomationId, { automation, readings, evaluation }: Look): Promise<void> {
    const { userId, epoch, definition, symbols } = automation;
    const { facts, omittedFacts } = factsOf(definition.condition, readings, symbolIn(symbols));
    const { verdict, evaluatedAt: at, reasons } = evaluation;
    const check = { at, epoch, condition: outcomes[verdict], facts, omittedFacts, reasons };
    await this.checks.record(userId, automationId, check);
  }
}

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
