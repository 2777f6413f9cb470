import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import type { AutomationId, UserId } from '@app/kernel';
import type { Automation } from './automation.state';
import { automationKind } from './automation.stream';

/** Reads a user's automations from their streams. */
@Injectable()
export class AutomationReader {
  constructor(private readonly states: FoldedStates) {}

  /** The automation, current as of the call; null when the user has none of that id. @throws Unavailable */
  async find(userId: UserId, automationId: AutomationId): Promise<Automation | null> {
    const { state } = await this.states.fresh(automationKind, automationId);
    return state?.userId === userId ? state : null;
  }

  /** The automation of any user, current as of the call; null when none has that id. @throws Unavailable */
  async current(automationId: AutomationId): Promise<Automation | null> {
    return (await this.states.fresh(automationKind, automationId)).state;
  }
}
