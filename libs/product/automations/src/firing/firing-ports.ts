import type { AutomationId, ConversationId, Instant, OccurrenceId, Result, RunId, UserId } from '@app/kernel';
import type { Timer } from '@app/timers';
import type { AutomationCommand } from '../automation/automation.commands';
import type { ActiveOccurrence, Automation, AutomationState } from '../automation/automation.state';
import type { Evaluation, Readings } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';

/** The run of an occurrence, and its conversation. */
export interface Admission {
  readonly occurrenceId: OccurrenceId;
  readonly trigger: ActiveOccurrence['trigger'];
  readonly conversationId: ConversationId;
  readonly runId: RunId;
}

/** An event that the rule is evaluated with. */
export interface Delivered {
  readonly event: InboundEvent;
  readonly receivedAt: Instant;
}

/** One evaluation of a rule, for `lastCheck`. */
export interface Look {
  readonly automation: Automation;
  readonly readings: Readings;
  readonly evaluation: Evaluation;
}

/** The ports of firing. LiveFiring implements them for the product; the simulation has its own. Every call may throw Unavailable. */
export interface FiringPorts {
  now(): Instant;
  /** The automation, current as of the call. */
  fold(automationId: AutomationId): Promise<AutomationState>;
  /** The automation, possibly from a cache: commands are decided on its current state in either case. */
  recall(automationId: AutomationId): Promise<AutomationState>;
  /** Appends the decision's events at the exact revision that it was made on and returns the automation after them; throws at a refusal. */
  record(automationId: AutomationId, command: AutomationCommand): Promise<Automation>;
  /** The readings of the condition's sources at that instant. */
  readings(automation: Automation, at: Instant, delivered: Delivered | null): Promise<Readings>;
  /** Stores the evaluation as the last one, for the status view. */
  looked(automationId: AutomationId, look: Look): Promise<void>;
  /** Whether an operator has paused the deployment's automations. */
  isPaused(): Promise<boolean>;
  isActive(userId: UserId): Promise<boolean>;
  /** The conversation and run of the occurrence if its admission began now; unchanged while the previous ones can still be used. */
  placeFor(
    automationId: AutomationId,
    automation: Automation,
    occurrence: Pick<ActiveOccurrence, 'occurrenceId' | 'conversationId' | 'runId'>,
  ): Promise<Pick<Admission, 'conversationId' | 'runId'>>;
  /** Starts the run, exactly once, or returns why not. */
  admit(automationId: AutomationId, automation: Automation, admission: Admission): Promise<Result<unknown>>;
  /** Runs an admission after earlier ones of the automation; without this method it runs at once. */
  inTurn?(automationId: AutomationId, admission: () => Promise<void>): Promise<void>;
  /** Schedules a timer, or reschedules the one with that id. */
  schedule(timer: Timer): Promise<void>;
}

/** Whether runs may still be started for a user; the composition binds it to the accounts. */
export abstract class AutomationOwners {
  /** False once an operator has disabled the account. @throws Unavailable */
  abstract isActive(userId: UserId): Promise<boolean>;
}
