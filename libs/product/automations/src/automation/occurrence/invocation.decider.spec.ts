import { words } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import {
  accepted,
  admitting,
  arose,
  at,
  completed,
  createdWith,
  dueAt,
  ended,
  evaluated,
  finished,
  having,
  invoked,
  minutes,
  occurrence,
  passedOver,
  ran,
  running,
  secondEpoch,
  signalAt,
} from '../../../test/automation-facts';
import { automationDecider } from '../automation.decider';
import type { AutomationEvent } from '../automation.events';
import { waitingMax } from './occurrence.decider';

const automation = specification(automationDecider);
const created = createdWith();

describe('an invocation', () => {
  it('bypasses rule, trigger and cooldown, and leaves the verdicts alone', () => {
    const reluctant = having({ trigger: 'edge', cooldownSeconds: 3600 });
    automation
      .given(reluctant, ...ran(1))
      .when(invoked(2))
      .thenOnce(arose(invoked(2)));
  });
  it('bypasses neither the overlap policy nor the limits', () => {
    automation
      .given(having({ overlap: 'skip' }), ...running(1))
      .when(invoked(2))
      .thenOnce(arose(invoked(2)), ended('skipped', 2, 'The one before was still active.'));
    automation
      .given(having({ endAt: minutes(2) }))
      .when(invoked(2))
      .thenOnce(arose(invoked(2)), ended('rejected', 2, 'The automation has finished.'), completed(2, 'end_at'));
    const waiting = Array.from({ length: waitingMax }, (_, nth) => arose(dueAt(nth + 2)));
    automation
      .given(created, ...running(1), ...waiting)
      .when(invoked(200))
      .thenOnce(arose(invoked(200)), ended('rejected', 200, '100 others were waiting already.'));
  });
  it('has its occurrence once, whatever was handled before or after it, and in whichever activation', () => {
    const resumed: AutomationEvent = { type: 'automation.resumed', at: minutes(9), epoch: secondEpoch };
    const early = arose(invoked(5));
    // The signal of an earlier minute is not evaluated yet.
    automation
      .given(created, early)
      .when(signalAt(2))
      .thenOnce(evaluated(2, 'true'), arose(signalAt(2)));
    const over = [early, admitting(5), accepted(5), finished(5, minutes(6))];
    automation
      .given(created, ...over)
      .when(invoked(5))
      .thenNothing();
    automation
      .given(created, ...over, resumed)
      .when(invoked(5))
      .thenNothing();
    automation
      .given(created, ...over, passedOver(7, 'stale'))
      .when(invoked(5))
      .thenNothing();
    const others = Array.from({ length: 1_100 }, (_, nth) => [
      arose(invoked(nth + 10)),
      { type: 'occurrence.rejected', at, occurrenceId: occurrence(nth + 10), reason: words`No.` } as const,
    ]).flat();
    automation
      .given(created, ...over, ...others)
      .when(invoked(5))
      .thenNothing();
  });
  it('starts the cooldown like any other', () =>
    automation
      .given(having({ cooldownSeconds: 120 }), arose(invoked(1)), admitting(1), accepted(1), finished(1, minutes(2)))
      .when(dueAt(2))
      .thenOnce(evaluated(2, 'true')));
});
