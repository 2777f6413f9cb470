import { Injectable } from '@nestjs/common';
import { Streams, TooBusy } from '@app/event-store';
import {
  because,
  Clock,
  notFound,
  ok,
  refuse,
  type AutomationId,
  type Cause,
  type Result,
  type UserId,
} from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { AutomationQuota } from './automation-quota';
import type { AutomationCommand } from './automation.commands';
import { automationKind } from './automation.stream';
import { viewOfState, type AutomationView } from '../api/automation.view';
import { Automations } from './automations';
import { isFinished } from './finished';
import { DueTimes } from '../firing/due-times';
import { Samples } from '../sources/samples';

/** Lost races for the stream after which a removal gives up (docs/decisions/automations.md). */
const removalRacesMax = 5;

/** Whose automation, and for what request. */
interface ByOwner {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly cause: Cause;
}

/** Pausing, resuming, removing, and an operator's hold (docs/decisions/automations.md). All throw Unavailable. */
@Injectable()
export class AutomationLife {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly automations: Automations,
    private readonly places: AutomationQuota,
    private readonly dueTimes: DueTimes,
    private readonly samples: Samples,
  ) {}

  /** `automations.pause`; of a paused one, nothing. Refuses with `automation_completed` (archived, or finished), `automation_changed`. */
  async pause(owner: ByOwner, revision: string): Promise<Result<AutomationView>> {
    const { userId, automationId } = owner;
    const found = await this.automations.fold(userId, automationId);
    const at = this.clock.now();
    if (found !== null && isFinished(found, at)) return refuse(because('automation_completed'));
    return this.record(owner, { type: 'PauseAutomation', at, userId, revision });
  }

  /** `automations.resume`: a new activation; of an enabled one, nothing. Refuses as `pause` does. */
  async resume(owner: ByOwner, revision: string): Promise<Result<AutomationView>> {
    const { userId, automationId } = owner;
    const found = await this.automations.fold(userId, automationId);
    const [at, epoch] = [this.clock.now(), uuidV7()];
    if (found !== null && isFinished(found, at)) return refuse(because('automation_completed'));
    if (found?.state === 'paused') {
      await this.dueTimes.schedule(automationId, found.definition, epoch, at, at);
      await this.samples.watch(userId, found.definition);
    }
    return this.record(owner, { type: 'ResumeAutomation', at, userId, revision, epoch });
  }

  /** `automations.remove`: archived for good, as often as one likes. Refuses with `automation_changed` after five lost races. */
  async remove({ userId, automationId, cause }: ByOwner): Promise<Result<void>> {
    const command = { type: 'ArchiveAutomation', at: this.clock.now(), userId } as const;
    const options = { racesMax: removalRacesMax, visible: true };
    try {
      const done = await this.streams.decide(automationKind, automationId, command, cause, options);
      if (!done.ok) return refuse(done.refusal);
      await this.places.release(automationId);
      return ok(undefined);
    } catch (error) {
      // A store that is slow, and a process with too many commands, are no race.
      if (error instanceof TooBusy && error.lostRaces >= removalRacesMax) return refuse(because('automation_changed'));
      throw error;
    }
  }

  /** Keeps it from firing until it is released; idempotent. For operators: whose it is does not matter. */
  async hold(automationId: AutomationId, reason: string, cause: Cause): Promise<Result<void>> {
    return this.operate(automationId, { type: 'HoldAutomation', at: this.clock.now(), reason }, cause);
  }

  /** Lets it fire again; idempotent. */
  async release(automationId: AutomationId, reason: string, cause: Cause): Promise<Result<void>> {
    return this.operate(automationId, { type: 'ReleaseAutomation', at: this.clock.now(), reason }, cause);
  }

  private async operate(automationId: AutomationId, command: AutomationCommand, cause: Cause): Promise<Result<void>> {
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    return ok(undefined);
  }

  private async record({ automationId, cause }: ByOwner, command: AutomationCommand): Promise<Result<AutomationView>> {
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    return done.value.state === null
      ? refuse(notFound)
      : ok(viewOfState(automationId, done.value.state, this.clock.now()));
  }
}
