import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, KeyedQueue, Streams } from '@app/event-store';
import { causeOfService, Clock, type AutomationId, type Cause } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { AutomationChecks } from './automation-checks';
import { automationKind } from '../automation/automation.stream';
import { factsOf } from '../condition/readings';
import { Sampler } from '../sources/sampler';
import { sourceTimers } from '../sources/source-key';
import { symbolIn } from '../definition/token-symbols';
import { readingsAt } from '../sources/source-sample';
import { admitNext } from './admit-next';
import { AutomationOwners } from './automation-owners';
import { handleDue, handleEnd } from './fire';
import { automationOf, dueTimers, endTimers, epochOf, occurrenceTimers } from './firing-timers';
import type { FiringWorld } from './firing-world';
import { OccurrenceAdmission } from './occurrence-admission';

/** A verdict, as the status says it. */
const outcomes = { true: 'matched', false: 'not_matched', unknown: 'unknown' } as const;

/** Due times that one process has in hand. */
const dueAtOnceMax = 48;
/** Sources that one process asks for at once. */
const samplesAtOnceMax = 32;
/** Admissions that go on at once in one process, few, so that what is due arises in time; one automation's are always in the same lane. */
const lanesMax = 3;
const waitingPerLaneMax = 1_000;

/** Handles the timers of automations and of the sources that they look at. May be killed anywhere, and run in several workers at once. */
@Injectable()
export class FiringProcess implements OnModuleInit {
  private readonly lanes = new KeyedQueue(waitingPerLaneMax);
  /** Admissions under way, or in line, in this process. */
  private admitting = 0;

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly sampler: Sampler,
    private readonly checks: AutomationChecks,
    private readonly admission: OccurrenceAdmission,
    private readonly controls: DeploymentControls,
    private readonly owners: AutomationOwners,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.handle(
      dueTimers,
      (timer) => handleDue(this.world(byItself()), { ...activationOf(timer), dueAt: timer.dueAt }),
      { atOnceMax: dueAtOnceMax },
    );
    this.timers.handle(endTimers, (timer) => handleEnd(this.world(byItself()), activationOf(timer)));
    this.timers.handle(occurrenceTimers, (timer) => admitNext(this.world(byItself()), automationOf(timer)), {
      atOnceMax: lanesMax,
    });
    this.timers.handle(sourceTimers, (timer) => this.sampler.handle(timer), { atOnceMax: samplesAtOnceMax });
  }

  private async inTurn(automationId: AutomationId, admission: () => Promise<void>): Promise<void> {
    this.admitting += 1;
    try {
      await this.lanes.run(laneOf(automationId), admission);
    } finally {
      this.admitting -= 1;
    }
  }

  /** The product, as firing sees it. */
  world(cause: Cause): FiringWorld {
    return {
      now: () => this.clock.now(),
      fold: async (automationId) => (await this.states.current(automationKind, automationId)).state,
      recall: async (automationId) => {
        const seen =
          this.states.cached(automationKind, automationId) ?? this.states.current(automationKind, automationId);
        return (await seen).state;
      },
      record: async (automationId, command) => {
        const done = await this.streams.decide(automationKind, automationId, command, cause);
        if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
        if (done.value.state === null) throw new Error(`there is no automation after ${command.type}`);
        return done.value.state;
      },
      readings: async ({ userId, definition: { condition } }, at, delivered) =>
        readingsAt(condition, await this.sampler.look(userId, condition, at), at, delivered),
      looked: async (automationId, { automation, readings, evaluation: { verdict, evaluatedAt, reasons } }) => {
        const { epoch, definition, symbols } = automation;
        const facts = factsOf(definition.condition, readings, symbolIn(symbols));
        await this.checks.record(automationId, {
          at: evaluatedAt,
          epoch,
          condition: outcomes[verdict],
          ...facts,
          reasons,
        });
      },
      isPaused: () => this.controls.isPaused('automations'),
      isActive: (userId) => this.owners.isActive(userId),
      placeFor: (automationId, automation, occurrence) => this.admission.placeFor(automationId, automation, occurrence),
      admit: (automationId, automation, place) => this.admission.admit(automationId, automation, place, cause),
      inTurn: (automationId, admission) => this.inTurn(automationId, admission),
      isBusy: () => this.admitting >= lanesMax,
      schedule: (timer) => this.timers.schedule(timer),
    };
  }
}

/** By the last digits of the id, which are random. */
function laneOf(automationId: AutomationId): string {
  return String(parseInt(automationId.slice(-6), 16) % lanesMax);
}

function activationOf(timer: Timer) {
  return { automationId: automationOf(timer), epoch: epochOf(timer) };
}

/** What time alone sets in motion begins with itself. */
function byItself(): Cause {
  return causeOfService('firing', uuidV7());
}
