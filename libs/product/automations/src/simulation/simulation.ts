import type { Instant, OccurrenceTrigger } from '@app/kernel';
import type { StoredDefinition, Wake } from '../definition/automation-definition';
import type { Automation } from '../automation/automation.state';
import type { UnresolvedCode, UnresolvedReason } from '../condition/condition';
import { evaluate } from '../condition/condition-evaluator';
import { afterAccepted, afterVerdict, freshMemory, judge, limitReached } from '../automation/occurrence/firing-policy';
import type { PolicyMemory } from '../automation/occurrence/firing-policy';
import type { InboundEvent } from '../inputs/input.stream';
import type { RecordedInput } from '../inputs/input.row';
import { nextDue } from '../definition/schedule';
import { readingsAt, type SampleHistory } from '../sources/source-sample';

/** Maximum number of firings that a simulation lists (docs/decisions/automations.md, `automations.simulate`). */
export const firedMax = 500;

/** A due time, or a recorded input. */
export interface SimulatedLook {
  readonly at: Instant;
  readonly trigger: OccurrenceTrigger;
  /** Null for a due time. */
  readonly event: InboundEvent | null;
}

export const wouldBes = ['fired', 'cooldown', 'limit'] as const;

/** A match that the trigger accepts, or an invocation, and its outcome. */
export interface WouldBe {
  readonly at: Instant;
  readonly wouldBe: (typeof wouldBes)[number];
  readonly trigger: OccurrenceTrigger;
}

/** The number of unknown evaluations that had this among their reasons. */
export interface UnresolvedCount {
  readonly code: UnresolvedCode;
  readonly binding: string | null;
  readonly looks: number;
}

/** The results so far. */
export interface Simulated {
  readonly memory: PolicyMemory;
  /** Evaluations of the rule; invocations bypass it. */
  readonly evaluated: number;
  readonly matched: number;
  /** Evaluations whose verdict was unknown. */
  readonly unknown: number;
  /** Sorted by code, then binding. */
  readonly unresolved: readonly UnresolvedCount[];
  /** The first 500. */
  readonly fired: readonly WouldBe[];
  /** There were more firings than `fired` may hold. */
  readonly truncated: boolean;
}

/** The state at the beginning of an epoch: nothing is known, and nothing was accepted yet. */
export const unsimulated: Simulated = {
  memory: freshMemory,
  evaluated: 0,
  matched: 0,
  unknown: 0,
  unresolved: [],
  fired: [],
  truncated: false,
};

/**
 * Simulates one more due time or input, later than those before. The condition is evaluated over the data retained for
 * its instant, and the firing policy decides, both as in live firing; runs end at once, so overlap never matters. An
 * event that live firing would not evaluate changes nothing.
 */
export function simulateLook(
  simulated: Simulated,
  definition: StoredDefinition,
  history: SampleHistory,
  look: SimulatedLook,
): Simulated {
  if (!isLookedAt(definition.wake, look)) return simulated;
  return look.trigger === 'invoke'
    ? invoke(simulated, definition, look)
    : evaluateAt(simulated, definition, history, look);
}

/**
 * Due times and inputs after `from` and not after `to`, oldest first; at one instant the due time precedes inputs.
 * After a schedule's last due time the automation is completed, and inputs are no longer evaluated.
 */
export async function* looksBetween(
  { definition: { wake }, epochAt }: Pick<Automation, 'definition' | 'epochAt'>,
  from: Instant,
  to: Instant,
  inputs: AsyncIterable<RecordedInput>,
): AsyncGenerator<SimulatedLook> {
  const dueAfter = (after: Instant): Instant | null =>
    wake.kind === 'schedule' ? nextDue(wake.schedule, epochAt, after) : null;
  let due = dueAfter(from);
  for await (const input of inputs) {
    for (; due !== null && due <= input.at; due = dueAfter(due)) yield dueLook(due);
    if (due === null && wake.kind === 'schedule') return;
    yield { at: input.at, trigger: input.source, event: input.event };
  }
  for (; due !== null && due <= to; due = dueAfter(due)) yield dueLook(due);
}

function dueLook(at: Instant): SimulatedLook {
  return { at, trigger: 'schedule', event: null };
}

/** A signal is evaluated for any wake; a webhook's event only where the rule waits for its type. */
function isLookedAt(wake: Wake, { trigger, event }: SimulatedLook): boolean {
  if (trigger !== 'webhook') return true;
  return event !== null && wake.kind === 'event' && wake.types.includes(event.type);
}

function evaluateAt(
  simulated: Simulated,
  { condition, firing }: StoredDefinition,
  history: SampleHistory,
  { at, trigger, event }: SimulatedLook,
): Simulated {
  const readings = readingsAt(condition, history, at, event === null ? null : { event, receivedAt: at });
  const { verdict, reasons } = evaluate(condition, readings, at);
  const judgement = judge(firing, simulated.memory, { forAt: at, verdict });
  const memory = afterVerdict(simulated.memory, verdict);
  const seen = {
    ...simulated,
    memory: judgement === 'fire' ? afterAccepted(memory, at) : memory,
    evaluated: simulated.evaluated + 1,
    matched: simulated.matched + (verdict === 'true' ? 1 : 0),
    unknown: simulated.unknown + (verdict === 'unknown' ? 1 : 0),
    unresolved: verdict === 'unknown' ? addReasons(simulated.unresolved, reasons) : simulated.unresolved,
  };
  if (judgement === 'none') return seen;
  return addResult(seen, { at, wouldBe: judgement === 'fire' ? 'fired' : judgement, trigger });
}

/** Fires regardless of the rule and its cooldown, but within its limits; uses up neither edges nor the one match of `once`. */
function invoke(simulated: Simulated, { firing }: StoredDefinition, { at, trigger }: SimulatedLook): Simulated {
  const { memory } = simulated;
  const isOver = firing.trigger === 'once' && memory.taken;
  if (isOver || limitReached(firing, memory.accepted, at) !== null)
    return addResult(simulated, { at, wouldBe: 'limit', trigger });
  const after = { ...afterAccepted(memory, at), taken: memory.taken };
  return addResult({ ...simulated, memory: after }, { at, wouldBe: 'fired', trigger });
}

function addResult(simulated: Simulated, one: WouldBe): Simulated {
  if (simulated.fired.length === firedMax) return { ...simulated, truncated: true };
  return { ...simulated, fired: [...simulated.fired, one] };
}

/** Counts an evaluation once for each code and binding, however many leaves of its rule report it. */
function addReasons(
  before: readonly UnresolvedCount[],
  reasons: readonly UnresolvedReason[],
): readonly UnresolvedCount[] {
  const counts = new Map(before.map((count) => [nameOf(count), count]));
  const named = new Map(reasons.map((reason) => [nameOf(reason), reason]));
  for (const [name, { code, binding = null }] of named) {
    counts.set(name, { code, binding, looks: (counts.get(name)?.looks ?? 0) + 1 });
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

function nameOf({ code, binding }: { readonly code: UnresolvedCode; readonly binding?: string | null }): string {
  return `${code} ${binding ?? ''}`;
}
