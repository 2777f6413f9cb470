import { Unavailable, words, type AutomationId, type Refusal } from '@app/kernel';
import { admissionFailure } from '@app/runs';
import type { ActiveOccurrence, Automation } from '../automation/automation.state';
import { later, occurrenceTimer } from './firing-timers';
import type { Admission, FiringPorts } from './firing-ports';

/** The pause between two attempts at admission, by the service clock: doubled each time. */
const retryFirstMs = 5_000;
const retryLastMs = 300_000;
/** More doublings than this exceed the longest pause anyway. */
const doublingsMax = 6;
/** The pause while the deployment's automations are paused. */
const pausedRetryMs = 60_000;
/** Maximum number of occurrences that one call handles: as many as can wait, and the one before them. */
const turnsMax = 101;

const disabledOwner = words`The account is disabled.`;

/**
 * Admits the first occurrence in turn, if there is one. Continues an interrupted admission, and may run many times at
 * once: the run is started once. A temporary refusal defers, others reject; then the next one is in turn.
 * @throws Unavailable
 *
 * @param seen the automation, if it was just read or written
 */
export async function admitNext(world: FiringPorts, automationId: AutomationId, seen?: Automation): Promise<void> {
  const admission = () => admitInTurn(world, automationId, seen);
  await (world.inTurn?.(automationId, admission) ?? admission());
}

async function admitInTurn(world: FiringPorts, automationId: AutomationId, seen?: Automation): Promise<void> {
  for (let turns = 0; turns < turnsMax; turns += 1) {
    const automation = turns === 0 && seen !== undefined ? seen : await world.fold(automationId);
    const occurrence = automation === null ? null : firstInTurn(automation);
    if (automation === null || occurrence === null) return;
    const admission = await beginRun(world, automationId, automation, occurrence);
    if (admission === null || !(await finishFirst(world, automationId, admission))) return;
  }
}

/** One occurrence is admitted or runs at a time; one whose admission has begun precedes those that wait. */
function firstInTurn({ active }: Automation): ActiveOccurrence | null {
  if (active.some(({ delivery }) => delivery === 'accepted')) return null;
  return active.find(({ delivery }) => delivery === 'admitting') ?? active[0] ?? null;
}

/** Returns null when nothing may be admitted now; a timer, a release or a resumption tries again. */
async function beginRun(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  occurrence: ActiveOccurrence,
): Promise<Automation | null> {
  const { occurrenceId, delivery, retryAt } = occurrence;
  if (delivery === 'admitting') return automation;
  if (automation.held) return null;
  const at = world.now();
  const notBefore = (await world.isPaused()) ? later(at, pausedRetryMs) : retryAt;
  if (notBefore !== null && notBefore > at) {
    await world.schedule(occurrenceTimer(automationId, occurrenceId, notBefore));
    return null;
  }
  const place = await world.placeFor(automationId, automation, occurrence);
  return world.record(automationId, { type: 'BeginAdmission', at, occurrenceId, ...place });
}

/** Returns whether it is the next occurrence's turn. */
async function finishFirst(world: FiringPorts, automationId: AutomationId, automation: Automation): Promise<boolean> {
  const occurrence = firstInTurn(automation);
  if (occurrence?.delivery !== 'admitting') return false;
  const { occurrenceId, trigger, conversationId, runId } = occurrence;
  if (conversationId === null || runId === null) throw new Error(`${occurrenceId} is admitted to no place`);
  if (!(await world.isActive(automation.userId))) {
    const at = world.now();
    await world.record(automationId, { type: 'RejectOccurrence', at, occurrenceId, reason: disabledOwner });
    return true;
  }
  const refusal = await refusalOf(world, automationId, automation, { occurrenceId, trigger, conversationId, runId });
  if (refusal === 'unknown') {
    // The run may have been started, which only a repetition of the same attempt can show: so record nothing.
    await world.schedule(occurrenceTimer(automationId, occurrenceId, later(world.now(), retryFirstMs)));
    return false;
  }
  if (refusal !== null) return recordRefusal(world, automationId, occurrence, refusal);
  const at = world.now();
  await world.record(automationId, { type: 'AcceptOccurrence', at, occurrenceId, conversationId, runId });
  return false;
}

async function refusalOf(
  world: FiringPorts,
  automationId: AutomationId,
  automation: Automation,
  admission: Admission,
): Promise<Refusal | null | 'unknown'> {
  try {
    const admitted = await world.admit(automationId, automation, admission);
    return admitted.ok ? null : admitted.refusal;
  } catch (error) {
    if (error instanceof Unavailable) return 'unknown';
    throw error;
  }
}

async function recordRefusal(
  world: FiringPorts,
  automationId: AutomationId,
  { occurrenceId, attempts }: ActiveOccurrence,
  refusal: Refusal,
): Promise<boolean> {
  const { why: reason, canPass } = admissionFailure(refusal);
  const at = world.now();
  if (!canPass) {
    await world.record(automationId, { type: 'RejectOccurrence', at, occurrenceId, reason });
    return true;
  }
  const doublings = Math.min(Math.max(attempts - 1, 0), doublingsMax);
  const retryAt = later(at, Math.min(retryFirstMs * 2 ** doublings, retryLastMs));
  await world.schedule(occurrenceTimer(automationId, occurrenceId, retryAt));
  const after = await world.record(automationId, { type: 'DeferOccurrence', at, occurrenceId, reason, retryAt });
  return !after.active.some((occurrence) => occurrence.occurrenceId === occurrenceId);
}
