import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import type { AutomationId, Cause } from '@app/kernel';
import type { AutomationCommand } from '../automation/automation.commands';
import type { Automation, AutomationState } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';

/** Reads and writes streams of automations for firing. All methods throw Unavailable. */
@Injectable()
export class AutomationStreams {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
  ) {}

  /** The automation, current as of the call. */
  async fold(automationId: AutomationId): Promise<AutomationState> {
    return (await this.states.fresh(automationKind, automationId)).state;
  }

  /** The automation from this process's cache, which may be out of date; current as of the call if it is not cached. */
  async recall(automationId: AutomationId): Promise<AutomationState> {
    return (await this.states.cached(automationKind, automationId)).state;
  }

  /** Appends the decision's events and returns the automation after them; throws at a refusal. */
  async record(automationId: AutomationId, command: AutomationCommand, cause: Cause): Promise<Automation> {
    const done = await this.streams.decide(automationKind, automationId, command, cause);
    if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
    if (done.value.state === null) throw new Error(`there is no automation after ${command.type}`);
    return done.value.state;
  }
}
