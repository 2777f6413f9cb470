import { epochMsOf, openOr, words, type AutomationId, type Instant, type RunId } from '@app/kernel';
import { dueOccurrenceId } from '../automation/automation-ids';
import type { RecordMatch } from '../automation/automation.commands';
import type { PassedOver } from '../automation/automation.events';
import type { Automation, AutomationState } from '../automation/automation.state';
import { evaluate } from '../condition/condition-evaluator';
import { obstacleTo } from '../automation/occurrence/input.decider';
import { invocation, matchOf, type Match } from '../inputs/input-match';
import type { InputRecorded } from '../inputs/input.stream';
import { latestDue, nextDue } from '../definition/schedule';
import { admitNext } from './admit-next';
import { dueTimer, endTimer, later } from './firing-timers';
import type { Delivered, FiringPorts } from './firing-ports';

/** A due time that is handled later than this does not fire (docs/decisions/automations.md). */
const lateMaxMs = 3_600_000;
const tooLate = words`It was due while the service was down, and was found more than an hour late.`;

/** An activation, by the members that its timers carry. */
export interface Activation {
  readonly automationId: AutomationId;
  readonly epoch: string;
}

/**
 * Handles a due time. Of several past ones only the latest counts; one that passes while the automation is held, or the
 * deployment's automations are paused, leaves no trace. The next one is scheduled last: until then this timer remains,
 * so that after a crash it repeats everything, and finished steps are recognized.
 * @throws Unavailable
 */
export async function handleDue(
  world: FiringPorts,
  { automationId, epoch, dueAt }: Activation & { readonly dueAt: Instant },
): Promise<void> {
  const automation = await present(world, automationId, epoch);
  // The last due time may have been evaluated before, and its admission interrupted.
  if (automation === null) return admitNext(world, automationId);
  const { wake } = automation.definition;
  if (wake.kind !== 'schedule') return;
  const due = latestDue(wake.schedule, automation.epochAt, later(dueAt, -1), world.now());
  const looks = due !== null && !automation.held && !(await world.isPaused());
  const after = looks ? await evaluateDue(world, automationId, automation, due) : automation;
  await admitNext(world, automationId, after);
  if (isLive(after, epoch)) await scheduleNext(world, automationId, after, due ?? world.now());
}

/**
 * Handles an input. It is evaluated by the activation in which it was recorded, or not at all. An invocation usually
 * has its occurrence already; if its process died before, it gets it now. An event that was erased decides nothing.
 * @throws Unavailable
 */
export async function handleInput(world: FiringPorts, input: InputRecorded, position: number): Promise<void> {
  const { automationId, inputId, source } = input;
  const automation = await world.fold(automationId);
  if (automation === null || input.dormant === true) return;
  if (source === 'invoke') {
    return admitNext(world, automationId, await world.record(automationId, invocation(input, position, world.now())));
  }
  const event = openOr(input.event, null);
  const outcome = await keptFrom(world, automation, input, event?.type ?? null);
  if (event === null || outcome !== null) {
    await world.record(automationId, {
      type: 'PassOverInput',
      at: world.now(),
      inputId,
      position,
      outcome: outcome ?? 'unknown',
    });
    return;
  }
  const { at: forAt } = input;
  const match = matchOf(input, position);
  const after = await look(world, automationId, automation, match, { event, receivedAt: forAt });
  await admitNext(world, automationId, after);
}

/** Handles the automation's `endAt`. @throws Unavailable */
export async function handleEnd(world: FiringPorts, { automationId, epoch }: Activation): Promise<void> {
  const automation = await world.fold(automationId);
  if (!isLive(automation, epoch)) return;
  const { endAt } = automation.definition.firing;
  if (endAt === undefined) return;
  const at = world.now();
  if (at < endAt) return world.schedule(endTimer(automationId, epoch, endAt));
  await world.record(automationId, { type: 'CompleteAutomation', at, epoch, because: 'end_at' });
}

/** Handles the end of a run in one of the automation's conversations: the next occurrence may be admitted. @throws Unavailable */
export async function handleRunEnded(world: FiringPorts, automationId: AutomationId, runId: RunId): Promise<void> {
  const occurrenceOf = (automation: AutomationState) =>
    automation?.active.find((occurrence) => occurrence.runId === runId)?.occurrenceId;
  // An occurrence has its run's id as soon as its admission has begun, so a cached state often suffices.
  const occurrenceId = occurrenceOf(await world.recall(automationId)) ?? occurrenceOf(await world.fold(automationId));
  if (occurrenceId === undefined) return admitNext(world, automationId);
  const after = await world.record(automationId, { type: 'FinishOccurrence', at: world.now(), occurrenceId });
  await admitNext(world, automationId, after);
}

/**
 * The automation, if this activation is the present one and may fire. A cached state suffices to evaluate, because
 * nothing is recorded of an activation that has ended meanwhile; its end is confirmed by reading the stream.
 */
async function present(world: FiringPorts, automationId: AutomationId, epoch: string): Promise<Automation | null> {
  const seen = await world.recall(automationId);
  if (isLive(seen, epoch) && !seen.held) return seen;
  const automation = await world.fold(automationId);
  return isLive(automation, epoch) ? automation : null;
}

/** Whether this activation is the present one and may fire. */
function isLive(automation: AutomationState, epoch: string): automation is Automation {
  return automation !== null && automation.epoch === epoch && automation.state === 'enabled' && !automation.completed;
}

/** Why the rule does not evaluate an input; null where it does. @param type of the input's event; null if that was erased */
async function keptFrom(
  world: FiringPorts,
  automation: Automation,
  { epoch, source }: InputRecorded,
  type: string | null,
): Promise<PassedOver | null> {
  const obstacle = obstacleTo(epoch, automation);
  if (obstacle !== null) return obstacle.outcome;
  if (await world.isPaused()) return 'paused';
  if (type === null) return 'unknown';
  const { wake } = automation.definition;
  const isAwaited = source !== 'webhook' || (wake.kind === 'event' && wake.types.includes(type));
  return isAwaited ? null : 'type_not_awaited';
}

async function evaluateDue(world: FiringPorts, automationId: AutomationId, automation: Automation, due: Instant) {
  const occurrenceId = dueOccurrenceId(automationId, automation.epoch, due);
  const match = { forAt: due, dueAt: due, input: null, trigger: 'schedule', occurrenceId } as const;
  if (epochMsOf(world.now()) - epochMsOf(due) <= lateMaxMs) {
    return look(world, automationId, automation, { ...match, tooLate: null }, null);
  }
  // The verdict at that time can no longer be computed.
  return recordMatch(world, automationId, automation, { ...match, tooLate, verdict: 'unknown' });
}

/** Evaluates the rule and records the outcome. */
async function look(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  match: Match,
  delivered: Delivered | null,
): Promise<Automation> {
  const { condition } = automation.definition;
  const readings = await world.readings(automation, match.forAt, delivered);
  const evaluation = evaluate(condition, readings, match.forAt);
  const { verdict } = evaluation;
  const after = await recordMatch(world, automationId, automation, { ...match, verdict });
  await world.looked(automationId, { automation, readings, evaluation });
  return after;
}

async function recordMatch(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  match: Match & Pick<RecordMatch, 'verdict'>,
): Promise<Automation> {
  const { epoch } = automation;
  const place = match.verdict === 'true' ? await placeAtOnce(world, automationId, automation, match) : null;
  const scheduleOver = match.dueAt !== null && dueAfter(automation, match.dueAt) === null;
  return world.record(automationId, { type: 'RecordMatch', at: world.now(), epoch, ...match, place, scheduleOver });
}

/** The occurrence's conversation and run, if it is likely to be admitted as it arises; a pause was checked before. */
async function placeAtOnce(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  { occurrenceId, tooLate }: Match,
): Promise<NonNullable<RecordMatch['place']> | null> {
  if (automation.active.length > 0 || tooLate !== null) return null;
  return world.placeFor(automationId, automation, { occurrenceId, conversationId: null, runId: null });
}

async function scheduleNext(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  after: Instant,
): Promise<void> {
  const { epoch } = automation;
  const next = dueAfter(automation, after);
  if (next !== null) return world.schedule(dueTimer(automationId, epoch, next));
  await world.record(automationId, { type: 'CompleteAutomation', at: world.now(), epoch, because: 'schedule_over' });
}

/** The first due time after an instant; null when the schedule is over. */
function dueAfter({ definition: { wake }, epochAt }: Automation, instant: Instant): Instant | null {
  return wake.kind === 'schedule' ? nextDue(wake.schedule, epochAt, instant) : null;
}
