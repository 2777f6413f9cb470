import { epochMsOf, type Instant } from '@app/kernel';
import type { FiringPolicy } from '../definition/automation-definition';
import type { Automation } from '../automation/automation.state';
import type { Verdict } from '../condition/condition';

/*
 * What a verdict leads to (docs/decisions/automations.md, "firing"). Live firing and simulation both ask here, so that they cannot
 * disagree. Time is counted by the instant that was looked at, never by when somebody came to look: a clock is always a little late.
 */

/** What the policy decides by; each epoch resets all but `accepted`. */
export interface PolicyMemory {
  /** The last verdict that was known. */
  readonly lastKnown: boolean | null;
  /** The instant that the last accepted occurrence was for. */
  readonly lastAcceptedFor: Instant | null;
  /** Accepted occurrences, in any epoch. */
  readonly accepted: number;
  /** A match of this epoch was accepted, or may still be: trigger `once` takes no other. */
  readonly taken: boolean;
}

/** One look at the rule. */
export interface Look {
  readonly forAt: Instant;
  readonly verdict: Verdict;
}

/** `limit`: it would fire, but the automation has had its number or its time. `cooldown`: too soon after the last accepted one. */
export type Judgement = 'none' | 'fire' | 'cooldown' | 'limit';

export const freshMemory: PolicyMemory = { lastKnown: null, lastAcceptedFor: null, accepted: 0, taken: false };

/** Whether the look fires, overlap aside. */
export function judge(policy: FiringPolicy, memory: PolicyMemory, { forAt, verdict }: Look): Judgement {
  if (verdict !== 'true' || !isTriggered(policy, memory)) return 'none';
  if (limitReached(policy, memory.accepted, forAt) !== null) return 'limit';
  return isCoolingDown(policy, memory, forAt) ? 'cooldown' : 'fire';
}

/** Which limit lets nothing fire at that instant; null as long as none does. */
export function limitReached(
  { maxOccurrences, endAt }: FiringPolicy,
  accepted: number,
  forAt: Instant,
): 'max_occurrences' | 'end_at' | null {
  if (maxOccurrences !== undefined && accepted >= maxOccurrences) return 'max_occurrences';
  return endAt !== undefined && forAt >= endAt ? 'end_at' : null;
}

/** Whether an automation is archived or has finished, its schedule aside: that has no due time left at some instant. */
export function hasEnded(
  { state, completed, occurrences, definition }: Pick<Automation, 'state' | 'completed' | 'occurrences' | 'definition'>,
  now: Instant,
): boolean {
  return completed || state === 'archived' || limitReached(definition.firing, occurrences, now) !== null;
}

/** The memory after a look with any outcome: an edge is used up even when cooldown or overlap kept it from firing. */
export function afterVerdict<Memory extends Pick<PolicyMemory, 'lastKnown'>>(memory: Memory, verdict: Verdict): Memory {
  return verdict === 'unknown' ? memory : { ...memory, lastKnown: verdict === 'true' };
}

/** After a match was accepted. */
export function afterAccepted(memory: PolicyMemory, forAt: Instant): PolicyMemory {
  const lastAcceptedFor = laterOf(memory.lastAcceptedFor, forAt);
  return { ...memory, lastAcceptedFor, accepted: memory.accepted + 1, taken: true };
}

/** Inputs come in the order of the store, which need not be that of the instants at which they came. */
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
  // Without a cooldown what came before the last accepted one, and is looked at after it, fires like any other.
  if (lastAcceptedFor === null || cooldownSeconds === 0) return false;
  return epochMsOf(forAt) < epochMsOf(lastAcceptedFor) + cooldownSeconds * 1000;
}
