import type { Instant } from '@app/kernel';
import type { Automation } from './automation.state';
import { limitReached } from './firing-policy';
import { nextDue } from './schedule';

/**
 * Whether an automation is archived, or has finished for good: `once` has fired, `maxOccurrences` were accepted, `endAt` has passed, or
 * its schedule has no due time left (docs/decisions/automations.md). Its end counts from its instant on, whenever that is recorded.
 */
export function isFinished(
  {
    state,
    completed,
    occurrences,
    definition: { wake, firing },
    epochAt,
  }: Pick<Automation, 'state' | 'completed' | 'occurrences' | 'definition' | 'epochAt'>,
  now: Instant,
): boolean {
  if (completed || state === 'archived' || limitReached(firing, occurrences, now) !== null) return true;
  return wake.kind === 'schedule' && nextDue(wake.schedule, epochAt, now) === null;
}
