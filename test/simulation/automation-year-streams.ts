import {
  automationKind,
  type AutomationCommand,
  type AutomationDefinition,
  type AutomationEvent,
  type AutomationState,
} from '@app/automations';
import { asId, epochMsOf, instantOf, type AutomationId, type OccurrenceId, type UserId } from '@app/kernel';
import { definitionOf } from './automation-year-plans';
import type { Plan } from './due-oracle';

/** One automation: its plan, its state, and the outcomes of its due times. */
export interface Subject {
  readonly automationId: AutomationId;
  readonly epoch: string;
  readonly plan: Plan;
  readonly definition: AutomationDefinition;
  readonly createdMs: number;
  state: AutomationState;
  revision: number;
  /** The outcomes of its occurrences, by due time in milliseconds. */
  readonly fired: Map<number, Outcome>;
}

/** Counts of each step in the course of one due time's occurrence. */
export interface Outcome {
  arose: number;
  accepted: number;
  rejected: number;
  finished: number;
  /** The number of runs that were started. */
  runs: number;
  /** The time from the due time to the occurrence. */
  lateMs: number;
}

/** The streams of all automations, each with its exact revision, and the outcomes that their events record. */
export class YearStreams {
  readonly subjects = new Map<AutomationId, Subject>();
  events = 0;
  /** A hash of all recorded events, in their order. */
  trace = 0;
  private readonly outcomes = new Map<OccurrenceId, Outcome>();

  /** Appends the events of `CreateAutomation`. */
  create(index: number, plan: Plan, createdMs: number): Subject {
    const suffix = index.toString(16).padStart(12, '0');
    const automationId = asId<AutomationId>(`0a000000-0000-4000-8000-${suffix}`);
    const epoch = `0e000000-0000-7000-8000-${suffix}`;
    const [definition, at, userId] = [definitionOf(plan), instantOf(createdMs), asId<UserId>('ada')];
    const kept = { automationId, epoch, plan, definition, createdMs };
    const subject: Subject = { ...kept, state: null, revision: 0, fired: new Map() };
    this.subjects.set(automationId, subject);
    this.append(
      subject,
      decided({ type: 'CreateAutomation', at, userId, definition, symbols: {}, epoch, review: null }, null),
    );
    return subject;
  }

  /** Throws for an automation that does not belong to the year. */
  subject(automationId: AutomationId): Subject {
    const subject = this.subjects.get(automationId);
    if (subject === undefined) throw new Error(`no automation ${automationId}`);
    return subject;
  }

  append(subject: Subject, events: readonly AutomationEvent[]): void {
    for (const event of events) {
      subject.state = automationKind.decider.evolve(subject.state, event);
      subject.revision += 1;
      this.events += 1;
      for (const character of `${event.type} ${event.at} ${subject.automationId}`)
        this.trace = (Math.imul(this.trace, 31) + character.charCodeAt(0)) | 0;
      if ('occurrenceId' in event) this.account(subject, event);
    }
  }

  startedRun(occurrenceId: OccurrenceId): void {
    this.outcome(occurrenceId).runs += 1;
  }

  private account(subject: Subject, event: Extract<AutomationEvent, { readonly occurrenceId: OccurrenceId }>): void {
    if (event.type === 'occurrence.arose') {
      const dueMs = epochMsOf(event.forAt);
      const none = { arose: 0, accepted: 0, rejected: 0, finished: 0, runs: 0, lateMs: epochMsOf(event.at) - dueMs };
      const outcome = subject.fired.get(dueMs) ?? none;
      outcome.arose += 1;
      subject.fired.set(dueMs, outcome);
      this.outcomes.set(event.occurrenceId, outcome);
      return;
    }
    const outcome = this.outcome(event.occurrenceId);
    if (event.type === 'occurrence.accepted') outcome.accepted += 1;
    if (event.type === 'occurrence.rejected') outcome.rejected += 1;
    if (event.type === 'occurrence.finished') outcome.finished += 1;
  }

  private outcome(occurrenceId: OccurrenceId): Outcome {
    const outcome = this.outcomes.get(occurrenceId);
    if (outcome === undefined) throw new Error(`${occurrenceId} never arose`);
    return outcome;
  }
}

/** The events of a command. Throws if it is refused. */
export function decided(command: AutomationCommand, state: AutomationState): readonly AutomationEvent[] {
  const decision = automationKind.decider.decide(command, state);
  if (!decision.accepted) throw new Error(`${command.type} was refused: ${JSON.stringify(decision.refusal)}`);
  return decision.events;
}
