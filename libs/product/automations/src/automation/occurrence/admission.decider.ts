import { accept, unreachable, type Decision } from '@app/kernel';
import type { AdmissionCommand, AutomationCommand } from '../automation.commands';
import type { AutomationEvent, CompletionCause, OccurrenceEvent } from '../automation.events';
import type { ActiveOccurrence, Automation } from '../automation.state';
import { finishedWords } from './input.decider';
import { admitting, isWaiting, rejectWaiting } from './occurrence.decider';

type Command = AdmissionCommand | Extract<AutomationCommand, { readonly type: 'FinishOccurrence' }>;
type Of<Type extends Command['type']> = Extract<Command, { readonly type: Type }>;

/**
 * Admits occurrences to runs: one of an automation at a time, in the order in which they arose. Accepts without events
 * what is already recorded, and occurrences that are no longer active.
 */
export function decideAdmission(command: Command, automation: Automation): Decision<AutomationEvent> {
  const occurrence = automation.active.find(({ occurrenceId }) => occurrenceId === command.occurrenceId);
  if (occurrence === undefined) return accept();
  switch (command.type) {
    case 'BeginAdmission':
      return isInTurn(occurrence, automation, command) ? accept(admitting(command, occurrence, automation)) : accept();
    case 'AcceptOccurrence':
      return accept(...accepting(command, occurrence, automation));
    case 'DeferOccurrence':
      return occurrence.delivery === 'admitting' ? accept(deferEvents(command, occurrence, automation)) : accept();
    case 'RejectOccurrence':
      if (occurrence.delivery === 'accepted') return accept();
      return accept(
        isOfPresent(occurrence, automation)
          ? endEvents('occurrence.rejected', command)
          : endEvents('occurrence.canceled', command),
      );
    case 'FinishOccurrence':
      return accept(...finishing(command, occurrence, automation));
    default:
      return unreachable(command);
  }
}

/** Whether the occurrence is the first active one, and due: an admitted, running or deferred one stays first. */
function isInTurn(occurrence: ActiveOccurrence, automation: Automation, { at }: Of<'BeginAdmission'>): boolean {
  const { active, state, held } = automation;
  if (state !== 'enabled' || held || active[0] !== occurrence || !isWaiting(occurrence)) return false;
  return occurrence.retryAt === null || occurrence.retryAt <= at;
}

/** Recorded also after a deferral, because two processes may have admitted it at once and its run then exists. */
function accepting(
  { at, occurrenceId, conversationId, runId }: Omit<Of<'AcceptOccurrence'>, 'type'>,
  occurrence: ActiveOccurrence,
  automation: Automation,
): AutomationEvent[] {
  if (occurrence.attempts === 0 || occurrence.delivery === 'accepted') return [];
  const because = limitBy(occurrence, automation);
  const others = { ...automation, active: automation.active.filter((other) => other !== occurrence) };
  const isNews = because !== null && !automation.completed && automation.state !== 'archived';
  return [
    { type: 'occurrence.accepted', at, occurrenceId, conversationId, runId },
    ...(isNews ? [{ type: 'automation.completed', at, because } as const] : []),
    // Also after completion, which waiting occurrences may outlive: never accept more than the maximum.
    ...(because === null ? [] : rejectWaiting(at, others, finishedWords)),
  ];
}

/** The limit that the automation reaches once this occurrence is accepted; null where none. */
function limitBy(occurrence: ActiveOccurrence, automation: Automation): CompletionCause | null {
  const { trigger, maxOccurrences } = automation.definition.firing;
  // An invocation bypasses the trigger, so the match has not happened yet.
  if (trigger === 'once' && occurrence.trigger !== 'invoke' && occurrence.epoch === automation.epoch) return 'once';
  return maxOccurrences !== undefined && automation.occurrences + 1 >= maxOccurrences ? 'max_occurrences' : null;
}

function deferEvents(
  command: Of<'DeferOccurrence'>,
  occurrence: ActiveOccurrence,
  automation: Automation,
): OccurrenceEvent {
  if (!isOfPresent(occurrence, automation)) return endEvents('occurrence.canceled', command);
  const { at, occurrenceId, reason, retryAt } = command;
  const { retryUntil } = occurrence;
  if (retryUntil === null || retryAt > retryUntil) return endEvents('occurrence.rejected', command);
  return { type: 'occurrence.deferred', at, occurrenceId, reason, retryAt };
}

/** Whether the automation still wants the occurrence: it is enabled, in the same epoch. */
function isOfPresent({ epoch }: ActiveOccurrence, automation: Automation): boolean {
  return automation.state === 'enabled' && automation.epoch === epoch;
}

function endEvents(
  type: 'occurrence.rejected' | 'occurrence.canceled',
  { at, occurrenceId, reason }: Of<'RejectOccurrence' | 'DeferOccurrence'>,
): OccurrenceEvent {
  return { type, at, occurrenceId, reason };
}

/** A run that ended was accepted, even if the process that admitted it died before recording that. */
function finishing(
  { at, occurrenceId }: Of<'FinishOccurrence'>,
  occurrence: ActiveOccurrence,
  automation: Automation,
): AutomationEvent[] {
  const finished = { type: 'occurrence.finished', at, occurrenceId } as const;
  if (occurrence.delivery === 'accepted') return [finished];
  const { conversationId, runId } = occurrence;
  if (conversationId === null || runId === null) return [];
  return [...accepting({ at, occurrenceId, conversationId, runId }, occurrence, automation), finished];
}
