import { epochMsOf, words, type AutomationId, type Instant, type RunId } from '@app/kernel';
import { dueOccurrenceId } from '../automation/automation-ids';
import type { RecordMatch } from '../automation/automation.commands';
import type { PassedOver } from '../automation/automation.events';
import type { Automation, AutomationState } from '../automation/automation.state';
import { evaluate } from '../condition/condition-evaluator';
import { obstacleTo } from '../inputs/input.decider';
import { invocation, matchOf, type Match } from '../inputs/input-match';
import type { InputRecorded } from '../inputs/input.stream';
import { latestDue, nextDue } from '../definition/schedule';
import { admitNext } from './admit-next';
import { dueTimer, endTimer, later } from './firing-timers';
import type { Delivered, FiringWorld } from './firing-world';

/** A due time that is found later than this is not fired any more (docs/decisions/automations.md). */
const lateMaxMs = 3_600_000;
const tooLate = words`It was due while the service was down, and was found more than an hour late.`;

/** An activation, as its timers name it. */
export interface Activation {
  readonly automationId: AutomationId;
  readonly epoch: string;
}

/**
 * A due time has come. Of several that are past only the latest counts; one that passes while the automation is held, or the deployment's
 * automations are paused, leaves no trace. The next one is scheduled last: until then this timer stands for it, so that a crash
 * anywhere brings all of it back, and what was done already is recognized. @throws Unavailable
 */
export async function handleDue(
  world: FiringWorld,
  { automationId, epoch, dueAt }: Activation & { readonly dueAt: Instant },
): Promise<void> {
  const automation = await present(world, automationId, epoch);
  // Its last due time may have been looked at before, and the admission cut off.
  if (automation === null) return admitNext(world, automationId);
  const { wake } = automation.definition;
  if (wake.kind !== 'schedule') return;
  const due = latestDue(wake.schedule, automation.epochAt, later(dueAt, -1), world.now());
  const looks = due !== null && !automation.held && !(await world.isPaused());
  const after = looks ? await lookAtDue(world, automationId, automation, due) : automation;
  await admitNext(world, automationId, after);
  if (isLive(after, epoch)) await scheduleNext(world, automationId, after, due ?? world.now());
}

/**
 * An input came. It is looked at by the activation in which it was recorded, or not at all. An invocation has led to its occurrence
 * as a rule; where its process died before, it does now. @throws Unavailable
 */
export async function handleInput(world: FiringWorld, input: InputRecorded, position: number): Promise<void> {
  const { automationId, inputId, source } = input;
  const automation = await world.fold(automationId);
  if (automation === null || input.dormant === true) return;
  if (source === 'invoke') {
    return admitNext(world, automationId, await world.record(automationId, invocation(input, position, world.now())));
  }
  const outcome = await keptFrom(world, automation, input);
  if (outcome !== null) {
    await world.record(automationId, { type: 'PassOverInput', at: world.now(), inputId, position, outcome });
    return;
  }
  const { at: forAt, event } = input;
  const match = matchOf(input, position);
  const after = await look(world, automationId, automation, match, { event, receivedAt: forAt });
  await admitNext(world, automationId, after);
}

/** The automation's `endAt` has come. @throws Unavailable */
export async function handleEnd(world: FiringWorld, { automationId, epoch }: Activation): Promise<void> {
  const automation = await world.fold(automationId);
  if (!isLive(automation, epoch)) return;
  const { endAt } = automation.definition.firing;
  if (endAt === undefined) return;
  const at = world.now();
  if (at < endAt) return world.schedule(endTimer(automationId, epoch, endAt));
  await world.record(automationId, { type: 'CompleteAutomation', at, epoch, because: 'end_at' });
}

/** A run in one of the automation's conversations has ended: the next occurrence in turn may be admitted. @throws Unavailable */
export async function handleRunEnded(world: FiringWorld, automationId: AutomationId, runId: RunId): Promise<void> {
  const occurrenceOf = (automation: AutomationState) =>
    automation?.active.find((occurrence) => occurrence.runId === runId)?.occurrenceId;
  // Its run is known as soon as its admission has begun.
  const occurrenceId = occurrenceOf(await world.recall(automationId)) ?? occurrenceOf(await world.fold(automationId));
  if (occurrenceId === undefined) return admitNext(world, automationId);
  const after = await world.record(automationId, { type: 'FinishOccurrence', at: world.now(), occurrenceId });
  await admitNext(world, automationId, after);
}

/**
 * The automation, when this activation is the present one and may fire. What was seen last is good enough to look by: of an activation
 * that is over meanwhile nothing is recorded. Only that it is over is not believed without reading.
 */
async function present(world: FiringWorld, automationId: AutomationId, epoch: string): Promise<Automation | null> {
  const seen = await world.recall(automationId);
  if (isLive(seen, epoch) && !seen.held) return seen;
  const automation = await world.fold(automationId);
  return isLive(automation, epoch) ? automation : null;
}

/** Whether this activation is the present one and may fire. */
function isLive(automation: AutomationState, epoch: string): automation is Automation {
  return automation !== null && automation.epoch === epoch && automation.state === 'enabled' && !automation.completed;
}

/** Why the rule does not look at an input; null where it does. */
async function keptFrom(
  world: FiringWorld,
  automation: Automation,
  { epoch, source, event }: InputRecorded,
): Promise<PassedOver | null> {
  const obstacle = obstacleTo(epoch, automation);
  if (obstacle !== null) return obstacle.outcome;
  if (await world.isPaused()) return 'paused';
  const { wake } = automation.definition;
  const isAwaited = source !== 'webhook' || (wake.kind === 'event' && wake.types.includes(event.type));
  return isAwaited ? null : 'type_not_awaited';
}

async function lookAtDue(world: FiringWorld, automationId: AutomationId, automation: Automation, due: Instant) {
  const occurrenceId = dueOccurrenceId(automationId, automation.epoch, due);
  const match = { forAt: due, dueAt: due, input: null, trigger: 'schedule', occurrenceId } as const;
  if (epochMsOf(world.now()) - epochMsOf(due) <= lateMaxMs) {
    return look(world, automationId, automation, { ...match, tooLate: null }, null);
  }
  // What the rule evaluated to at that time is no longer known.
  return recordMatch(world, automationId, automation, { ...match, tooLate, verdict: 'unknown' });
}

/** Looks at the rule and records what came of it. */
async function look(
  world: FiringWorld,
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
  world: FiringWorld,
  automationId: AutomationId,
  automation: Automation,
  match: Match & Pick<RecordMatch, 'verdict'>,
): Promise<Automation> {
  const { epoch } = automation;
  const place = match.verdict === 'true' ? await placeAtOnce(world, automationId, automation, match) : null;
  const scheduleOver = match.dueAt !== null && dueAfter(automation, match.dueAt) === null;
  return world.record(automationId, { type: 'RecordMatch', at: world.now(), epoch, ...match, place, scheduleOver });
}

/** Where the occurrence would run, if it is likely to be admitted as it arises; a pause was looked at before. */
async function placeAtOnce(
  world: FiringWorld,
  automationId: AutomationId,
  automation: Automation,
  { occurrenceId, tooLate }: Match,
): Promise<NonNullable<RecordMatch['place']> | null> {
  if (automation.active.length > 0 || tooLate !== null) return null;
  return world.placeFor(automationId, automation, { occurrenceId, conversationId: null, runId: null });
}

async function scheduleNext(
  world: FiringWorld,
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
