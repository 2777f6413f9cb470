import { Injectable, type OnModuleInit } from '@nestjs/common';
import { causeOfService } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import { Sampler } from '../sources/sampler';
import { sourceTimers } from '../sources/source-key';
import { admitNext } from './admit-next';
import { handleDue, handleEnd } from './fire';
import { automationOf, dueTimers, endTimers, epochOf, occurrenceTimers } from './firing-timers';
import type { FiringPorts } from './firing-ports';
import { LiveFiring } from './live-firing';

/**
 * Maximum number of due times, and of deferred admissions, that one process handles at once: each until its run has
 * begun.
 */
const firingAtOnceMax = 32;
/** Maximum number of sources that one process samples at once. */
const samplesAtOnceMax = 32;

/**
 * Handles the timers of automations and of the sources that they read. May be killed anywhere, and run in several
 * workers at once.
 */
@Injectable()
export class FiringProcess implements OnModuleInit {
  constructor(
    private readonly firing: LiveFiring,
    private readonly sampler: Sampler,
    private readonly timers: Timers,
  ) {}

  onModuleInit(): void {
    this.timers.handle(dueTimers, (timer) => handleDue(this.world(), { ...activationOf(timer), dueAt: timer.dueAt }), {
      atOnceMax: firingAtOnceMax,
    });
    this.timers.handle(endTimers, (timer) => handleEnd(this.world(), activationOf(timer)));
    this.timers.handle(occurrenceTimers, (timer) => admitNext(this.world(), automationOf(timer)), {
      atOnceMax: firingAtOnceMax,
    });
    this.timers.handle(sourceTimers, (timer) => this.sampler.handle(timer), { atOnceMax: samplesAtOnceMax });
  }

  /** A timer's work has no preceding cause, so each gets a new one. */
  private world(): FiringPorts {
    return this.firing.world(causeOfService('firing', uuidV7()));
  }
}

function activationOf(timer: Timer) {
  return { automationId: automationOf(timer), epoch: epochOf(timer) };
}
