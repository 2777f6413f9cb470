import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import type { AutomationId, Cause } from '@app/kernel';
import type { AutomationCommand } from '../automation/automation.commands';
import type { Automation, AutomationState } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';

/** Streams of automations, as firing reads and writes them. All throw Unavailable. */
@Injectable()
export class AutomationStreams {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
  ) {}

  /** The automation as of now. */
  async fold(automationId: AutomationId): Promise<AutomationState> {
    return (await this.states.current(automationKind, automationId)).state;
  }

  /** The automation as this process saw it last, or as of now. */
  async recall(automationId: AutomationId): Promise<AutomationState> {
    const seen = this.states.cached(automationKind, automationId) ?? this.states.current(automationKind, automationId);
    return (await seen).state;
  }

  /** Appends what the decider answers; answers the automation after it, and throws at a refusal. */
  async record(automationId: AutomationId, command: AutomationCommand, cause: Cause): Promise<Automation> {
    const done = await this.streams.decide(automationKind, automationId, command, cause);
    if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
    if (done.value.state === null) throw new Error(`there is no automation after ${command.type}`);
    return done.value.state;
  }
}
