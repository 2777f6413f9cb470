import { accept, epochMsOf, instantOf, unreachable, words, type Decision, type Instant, type Words } from '@app/kernel';
import type { RecordMatch } from '../automation.commands';
import type { AutomationEvent, OccurrenceEvent, PassedOver } from '../automation.events';
import type { ActiveOccurrence, Automation, FiringMemory } from '../automation.state';
import type { Verdict } from '../../condition/condition';
import { afterVerdict, judge, laterOf, limitReached, type Judgement } from './firing-policy';
import { afterInput, finishedWords, isHandled, obstacleTo, passOverInput, type Obstacle } from './input.decider';

/** Maximum number of waiting occurrences per automation; more are rejected (docs/decisions/automations.md, `queue`). */
export const waitingMax = 100;

/**
 * Records the result of an evaluation or invocation, by the firing and overlap policies. No events for a due time or
 * input that was handled before. An input without an occurrence records the reason; an invocation that cannot be taken,
 * a rejected occurrence. After the last due time the automation is completed.
 */
export function recordMatch(command: RecordMatch, automation: Automation): Decision<AutomationEvent> {
  if (isRepeated(command, automation)) return accept();
  const obstacle = obstacleTo(command.epoch, automation);
  const events = eventsOf(command, automation, obstacle);
  const isOver = command.scheduleOver === true && obstacle === null;
  if (!isOver || events.some(({ type }) => type === 'automation.completed')) return accept(...events);
  return accept(...events, { type: 'automation.completed', at: command.at, because: 'schedule_over' });
}

function eventsOf(command: RecordMatch, automation: Automation, obstacle: Obstacle | null): AutomationEvent[] {
  const { at, forAt } = command;
  const limit = obstacle === null ? limitReached(automation.definition.firing, automation.occurrences, forAt) : null;
  const finishing = limit === null ? [] : [{ type: 'automation.completed', at, because: limit } as const];
  if (command.trigger === 'invoke') {
    const why = limit === null ? obstacle?.words : finishedWords;
    if (why === undefined) return arising(command, automation);
    return [occurrenceArose(command), rejectOccurrence(at, command.occurrenceId, why), ...finishing];
  }
  if (obstacle !== null) return passOverInput(command, obstacle.outcome);
  if (limit !== null) return [...finishing, ...passOverInput(command, 'rejected')];
  if (command.tooLate !== null)
    return [occurrenceArose(command), rejectOccurrence(at, command.occurrenceId, command.tooLate)];
  return decideMatch(command, automation);
}

function decideMatch(command: RecordMatch, automation: Automation): AutomationEvent[] {
  const { at, epoch, verdict } = command;
  const judgement = judgeMatch(command, automation);
  const isNews = verdict !== automation.memory.lastVerdict || judgement === 'fire';
  return [
    ...(isNews ? [{ type: 'automation.evaluated', at, epoch, verdict } as const] : []),
    ...(judgement === 'fire' ? arising(command, automation) : passOverInput(command, outcomeOf(judgement, verdict))),
  ];
}

const passedOverFor = { none: 'not_matched', cooldown: 'cooldown', limit: 'rejected' } as const;

/** A `true` verdict that is no new edge, or a second match of trigger `once`, is reported as `not_matched`. */
function outcomeOf(judgement: Exclude<Judgement, 'fire'>, verdict: Verdict): PassedOver {
  if (verdict === 'unknown') return 'unknown';
  return passedOverFor[judgement];
}

function judgeMatch(command: RecordMatch, { definition, memory, occurrences, active, epoch }: Automation): Judgement {
  // Accepting a match of trigger `once` completes the automation, which was checked before: only active ones remain.
  const taken = active.some((occurrence) => occurrence.trigger !== 'invoke' && occurrence.epoch === epoch);
  return judge(definition.firing, { ...memory, accepted: occurrences, taken }, command);
}

/** Due times are handled in order, so one that is not after the last was handled before. */
function isRepeated({ occurrenceId, trigger, dueAt, input }: RecordMatch, { active, memory }: Automation): boolean {
  if (active.some((occurrence) => occurrence.occurrenceId === occurrenceId)) return true;
  if (input !== null) return isHandled(memory, trigger, input.position);
  return dueAt !== null && memory.lastDueAt !== null && dueAt <= memory.lastDueAt;
}

function arising(command: RecordMatch, automation: Automation): OccurrenceEvent[] {
  const { at, occurrenceId, place } = command;
  const { definition, active } = automation;
  const arose = occurrenceArose(command);
  if (active.length === 0) {
    if (place == null || automation.held) return [arose];
    const first = { attempts: 0, retryUntil: null };
    return [arose, admitting({ at, occurrenceId, ...place }, first, automation)];
  }
  switch (definition.firing.overlap) {
    case 'skip':
      return [arose, { type: 'occurrence.skipped', at, occurrenceId, reason: words`The one before was still active.` }];
    case 'coalesce':
      return [arose, ...active.filter(isWaiting).map((waiting) => coalesce(at, waiting, arose))];
    case 'queue':
      if (active.filter(isWaiting).length < waitingMax) return [arose];
      return [arose, rejectOccurrence(at, occurrenceId, words`${waitingMax} others were waiting already.`)];
    default:
      return unreachable(definition.firing.overlap);
  }
}

/** The event that begins an occurrence's admission, with its run and conversation. */
export function admitting(
  {
    at,
    occurrenceId,
    conversationId,
    runId,
  }: Omit<Extract<OccurrenceEvent, { type: 'occurrence.admitting' }>, 'type' | 'attempt' | 'retryUntil'>,
  { attempts, retryUntil }: Pick<ActiveOccurrence, 'attempts' | 'retryUntil'>,
  { definition }: Automation,
): OccurrenceEvent {
  return {
    type: 'occurrence.admitting',
    at,
    occurrenceId,
    conversationId,
    runId,
    attempt: attempts + 1,
    retryUntil: retryUntil ?? instantOf(epochMsOf(at) + definition.firing.retryForSeconds * 1000),
  };
}

type Arose = Extract<OccurrenceEvent, { readonly type: 'occurrence.arose' }>;

function occurrenceArose({ at, occurrenceId, epoch, trigger, forAt, dueAt, input }: RecordMatch): Arose {
  const [inputId, inputPosition] = input === null ? [null, null] : [input.inputId, input.position];
  return { type: 'occurrence.arose', at, occurrenceId, epoch, trigger, forAt, dueAt, inputId, inputPosition };
}

function coalesce(at: Instant, { occurrenceId }: ActiveOccurrence, into: Arose): OccurrenceEvent {
  return { type: 'occurrence.coalesced', at, occurrenceId, into: into.occurrenceId };
}

function rejectOccurrence(at: Instant, occurrenceId: RecordMatch['occurrenceId'], reason: Words): OccurrenceEvent {
  return { type: 'occurrence.rejected', at, occurrenceId, reason };
}

/** Whether the occurrence waits for its admission; one whose admission has begun does not. */
export function isWaiting({ delivery }: ActiveOccurrence): boolean {
  return delivery === 'pending' || delivery === 'deferred';
}

/** Rejects all waiting occurrences, because the firing policy takes no more; admitted and running ones go on. */
export function rejectWaiting(at: Instant, { active }: Automation, reason: Words): OccurrenceEvent[] {
  return active.filter(isWaiting).map(({ occurrenceId }) => rejectOccurrence(at, occurrenceId, reason));
}

/** Cancels all waiting occurrences; those being admitted, or running, go on. */
export function cancelWaiting(at: Instant, { active }: Automation, reason: Words): OccurrenceEvent[] {
  return active
    .filter(isWaiting)
    .map(({ occurrenceId }) => ({ type: 'occurrence.canceled', at, occurrenceId, reason }) as const);
}

export function evolveOccurrence(automation: Automation, event: OccurrenceEvent): Automation {
  switch (event.type) {
    case 'occurrence.arose':
      return {
        ...automation,
        active: [...automation.active, pending(event, automation)],
        memory: afterArising(automation.memory, event),
      };
    case 'occurrence.admitting': {
      const { conversationId, runId, attempt, retryUntil } = event;
      return withOccurrence(automation, event, {
        delivery: 'admitting',
        attempts: attempt,
        retryAt: null,
        retryUntil,
        conversationId,
        runId,
      });
    }
    case 'occurrence.deferred':
      return withOccurrence(automation, event, { delivery: 'deferred', retryAt: event.retryAt });
    case 'occurrence.accepted':
      return acceptOccurrence(automation, event);
    case 'occurrence.rejected':
    case 'occurrence.canceled':
    case 'occurrence.skipped':
    case 'occurrence.coalesced':
    case 'occurrence.finished':
      return {
        ...automation,
        active: automation.active.filter(({ occurrenceId }) => occurrenceId !== event.occurrenceId),
      };
    default:
      return unreachable(event);
  }
}

function pending({ occurrenceId, epoch, trigger, forAt }: Arose, { contractApproval }: Automation): ActiveOccurrence {
  return {
    contractApprovalId: contractApproval?.approvalId ?? null,
    occurrenceId,
    epoch,
    delivery: 'pending',
    trigger,
    forAt,
    attempts: 0,
    retryAt: null,
    retryUntil: null,
    conversationId: null,
    runId: null,
  };
}

function afterArising(memory: FiringMemory, { trigger, dueAt, inputPosition }: Arose): FiringMemory {
  const after = inputPosition === null ? memory : afterInput(memory, trigger, inputPosition);
  return { ...after, lastDueAt: dueAt ?? memory.lastDueAt };
}

function acceptOccurrence(
  automation: Automation,
  event: Extract<OccurrenceEvent, { readonly type: 'occurrence.accepted' }>,
): Automation {
  const { conversationId, runId } = event;
  const { epoch, memory, active } = automation;
  const occurrence = active.find(({ occurrenceId }) => occurrenceId === event.occurrenceId);
  // An occurrence whose admission began before the present epoch does not count in it.
  const isPresent = occurrence?.epoch === epoch;
  return withOccurrence(
    {
      ...automation,
      occurrences: automation.occurrences + 1,
      memory: isPresent ? { ...memory, lastAcceptedFor: laterOf(memory.lastAcceptedFor, occurrence.forAt) } : memory,
    },
    event,
    { delivery: 'accepted', retryAt: null, conversationId, runId },
  );
}

function withOccurrence(
  automation: Automation,
  { occurrenceId }: OccurrenceEvent,
  change: Partial<ActiveOccurrence>,
): Automation {
  const active = automation.active.map((one) => (one.occurrenceId === occurrenceId ? { ...one, ...change } : one));
  return { ...automation, active };
}

/** Folds a verdict: as the last recorded one, and as the last known one, which edges are detected by. */
export function evolveVerdict(
  memory: FiringMemory,
  { verdict }: Extract<AutomationEvent, { readonly type: 'automation.evaluated' }>,
): FiringMemory {
  return { ...afterVerdict(memory, verdict), lastVerdict: verdict };
}
