import type { Instant } from '@app/kernel';
import type { Automation } from './automation.state';
import { hasEnded } from './occurrence/firing-policy';
import { nextDue } from '../definition/schedule';

/**
 * Whether an automation is archived or completed for good: `once` has fired, `maxOccurrences` were accepted, `endAt`
 * has passed, or its schedule has no due time left (docs/decisions/automations.md). The end counts from its instant on,
 * whenever it is recorded. The decider has no calendar and checks all but the last; since it compares the revision, the
 * schedule that was checked here is the same.
 */
export function isFinished(
  automation: Parameters<typeof hasEnded>[0] & Pick<Automation, 'epochAt'>,
  now: Instant,
): boolean {
  if (hasEnded(automation, now)) return true;
  const { wake } = automation.definition;
  return wake.kind === 'schedule' && nextDue(wake.schedule, automation.epochAt, now) === null;
}
