import type { AutomationId, ConversationId, Instant, OccurrenceId, Result, RunId, UserId } from '@app/kernel';
import type { Timer } from '@app/timers';
import type { AutomationCommand } from '../automation/automation.commands';
import type { ActiveOccurrence, Automation, AutomationState } from '../automation/automation.state';
import type { Evaluation, Readings } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';

/** The run that an occurrence comes to, and where. */
export interface Admission {
  readonly occurrenceId: OccurrenceId;
  readonly trigger: ActiveOccurrence['trigger'];
  readonly conversationId: ConversationId;
  readonly runId: RunId;
}

/** An event that the rule is looked at with. */
export interface Delivered {
  readonly event: InboundEvent;
  readonly receivedAt: Instant;
}

/** One look at a rule, for `lastCheck`. */
export interface Look {
  readonly automation: Automation;
  readonly readings: Readings;
  readonly evaluation: Evaluation;
}

/** What firing needs of the world. The product's is LiveFiring's; the simulation has its own. Every call may throw Unavailable. */
export interface FiringWorld {
  now(): Instant;
  /** The automation as of now. */
  fold(automationId: AutomationId): Promise<AutomationState>;
  /** The automation as it was last seen, or as of now: commands are decided on its current state in either case. */
  recall(automationId: AutomationId): Promise<AutomationState>;
  /** Appends what follows at the exact revision that it was decided on; answers the automation after it, and throws at a refusal. */
  record(automationId: AutomationId, command: AutomationCommand): Promise<Automation>;
  /** What was known of the condition's sources at that instant. */
  readings(automation: Automation, at: Instant, delivered: Delivered | null): Promise<Readings>;
  /** Keeps the last look for the status view. */
  looked(automationId: AutomationId, look: Look): Promise<void>;
  /** Whether an operator has paused the deployment's automations. */
  isPaused(): Promise<boolean>;
  isActive(userId: UserId): Promise<boolean>;
  /** Where the occurrence would run if its admission began now; the same as before while that one can still be used. */
  placeFor(
    automationId: AutomationId,
    automation: Automation,
    occurrence: Pick<ActiveOccurrence, 'occurrenceId' | 'conversationId' | 'runId'>,
  ): Promise<Pick<Admission, 'conversationId' | 'runId'>>;
  /** Starts the run, exactly once, or answers why not. */
  admit(automationId: AutomationId, automation: Automation, admission: Admission): Promise<Result<unknown>>;
  /** Runs an admission, in turn with others of the automation; absent: at once. */
  inTurn?(automationId: AutomationId, admission: () => Promise<void>): Promise<void>;
  /** Schedules a timer, or moves the one of that id. */
  schedule(timer: Timer): Promise<void>;
}
