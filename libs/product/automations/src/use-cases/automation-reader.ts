import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import type { AutomationId, UserId } from '@app/kernel';
import type { Automation } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';

/** Reads a user's automations from their streams. */
@Injectable()
export class AutomationReader {
  constructor(private readonly states: FoldedStates) {}

  /** The automation as of now; null when the user has none of that id. @throws Unavailable */
  async find(userId: UserId, automationId: AutomationId): Promise<Automation | null> {
    const { state } = await this.states.current(automationKind, automationId);
    return state?.userId === userId ? state : null;
  }

  /** The automation as of now, whosever it is; null when there is none of that id. @throws Unavailable */
  async current(automationId: AutomationId): Promise<Automation | null> {
    return (await this.states.current(automationKind, automationId)).state;
  }
}
