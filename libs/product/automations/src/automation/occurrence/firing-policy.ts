import { epochMsOf, type Instant } from '@app/kernel';
import type { FiringPolicy } from '../../definition/automation-definition';
import type { Automation } from '../automation.state';
import type { Verdict } from '../../condition/condition';

/*
 * The consequence of a verdict (docs/decisions/automations.md, "firing"). Live firing and simulation share these
 * functions, so that they cannot disagree. Time is measured by the instant that was evaluated, never by when the
 * evaluation ran, because that is always a little late.
 */

/** The memory that the policy decides by; each epoch resets all but `accepted`. */
export interface PolicyMemory {
  /** The last verdict that was `true` or `false`. */
  readonly lastKnown: boolean | null;
  /** The `forAt` of the last accepted occurrence. */
  readonly lastAcceptedFor: Instant | null;
  /** Accepted occurrences, in any epoch. */
  readonly accepted: number;
  /** A match of this epoch was accepted or is active: trigger `once` takes no other. */
  readonly taken: boolean;
}

/** One evaluation of the rule. */
export interface Look {
  readonly forAt: Instant;
  readonly verdict: Verdict;
}

/** `limit`: it would fire, but the automation has reached its maximum or its end. `cooldown`: too soon after the last accepted one. */
export type Judgement = 'none' | 'fire' | 'cooldown' | 'limit';

export const freshMemory: PolicyMemory = { lastKnown: null, lastAcceptedFor: null, accepted: 0, taken: false };

/** Whether the evaluation fires, ignoring overlap. */
export function judge(policy: FiringPolicy, memory: PolicyMemory, { forAt, verdict }: Look): Judgement {
  if (verdict !== 'true' || !isTriggered(policy, memory)) return 'none';
  if (limitReached(policy, memory.accepted, forAt) !== null) return 'limit';
  return isCoolingDown(policy, memory, forAt) ? 'cooldown' : 'fire';
}

/** The limit that keeps anything from firing at that instant; null where none does. */
export function limitReached(
  { maxOccurrences, endAt }: FiringPolicy,
  accepted: number,
  forAt: Instant,
): 'max_occurrences' | 'end_at' | null {
  if (maxOccurrences !== undefined && accepted >= maxOccurrences) return 'max_occurrences';
  return endAt !== undefined && forAt >= endAt ? 'end_at' : null;
}

/** Whether an automation is archived or completed, ignoring its schedule, which may have no due time left. */
export function hasEnded(
  { state, completed, occurrences, definition }: Pick<Automation, 'state' | 'completed' | 'occurrences' | 'definition'>,
  now: Instant,
): boolean {
  return completed || state === 'archived' || limitReached(definition.firing, occurrences, now) !== null;
}

/** The memory after an evaluation with any outcome: an edge is used up even when cooldown or overlap kept it from firing. */
export function afterVerdict<Memory extends Pick<PolicyMemory, 'lastKnown'>>(memory: Memory, verdict: Verdict): Memory {
  return verdict === 'unknown' ? memory : { ...memory, lastKnown: verdict === 'true' };
}

/** The memory after a match was accepted. */
export function afterAccepted(memory: PolicyMemory, forAt: Instant): PolicyMemory {
  const lastAcceptedFor = laterOf(memory.lastAcceptedFor, forAt);
  return { ...memory, lastAcceptedFor, accepted: memory.accepted + 1, taken: true };
}

/** Inputs are handled in the order of the store, which need not be the order of their instants. */
export function laterOf(one: Instant | null, other: Instant): Instant {
  return one !== null && one > other ? one : other;
}

function isTriggered({ trigger }: FiringPolicy, { lastKnown, taken }: PolicyMemory): boolean {
  switch (trigger) {
    case 'match':
      return true;
    case 'edge':
      return lastKnown !== true;
    case 'once':
      return !taken;
  }
}

function isCoolingDown({ cooldownSeconds }: FiringPolicy, { lastAcceptedFor }: PolicyMemory, forAt: Instant): boolean {
  // Without a cooldown, a match for an instant before the last accepted one fires like any other.
  if (lastAcceptedFor === null || cooldownSeconds === 0) return false;
  return epochMsOf(forAt) < epochMsOf(lastAcceptedFor) + cooldownSeconds * 1000;
}
