import { words } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import { begin, deferred, held, last, over, paused, pending, resumed } from '../../../test/admission-facts';
import {
  accepted,
  admitting,
  createdWith,
  finished,
  having,
  minutes,
  occurrence,
  running,
  seconds,
} from '../../../test/automation-facts';
import { automationDecider } from '../automation.decider';

const automation = specification(automationDecider);
const created = createdWith();

const defer = (minute: number, retryAt = minutes(minute + 1)) => ({
  type: 'DeferOccurrence' as const,
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: words`Full.`,
  retryAt,
});
const rejectIt = (minute: number) => ({
  type: 'RejectOccurrence' as const,
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: words`Disabled.`,
});
const finish = (minute: number) => ({
  type: 'FinishOccurrence' as const,
  at: minutes(minute + 1),
  occurrenceId: occurrence(minute),
});

describe('the beginning of an admission', () => {
  it('comes once', () =>
    automation
      .given(created, ...pending(1))
      .when(begin(1))
      .thenOnce(admitting(1)));

  it('comes in turn: one at a time, in the order of arising', () => {
    const two = [created, ...pending(1), ...pending(2)];
    automation
      .given(...two)
      .when(begin(2))
      .thenNothing();
    automation
      .given(...two, admitting(1))
      .when(begin(2))
      .thenNothing();
    automation
      .given(...two, admitting(1), accepted(1))
      .when(begin(2))
      .thenNothing();
    automation
      .given(...two, admitting(1), accepted(1), finished(1, minutes(2)))
      .when(begin(2))
      .thenOnce(admitting(2));
  });

  it('waits for the next try of one that was deferred, whose turn it stays', () => {
    const given = automation.given(created, ...pending(1), admitting(1), deferred(1), ...pending(2));
    given.when(begin(2)).thenNothing();
    given.when(begin(1, seconds(119))).thenNothing();
    given.when(begin(1, minutes(2))).thenOnce(admitting(1, minutes(2), 2));
  });

  it('comes neither while it is held, nor when it is over', () => {
    automation
      .given(created, ...pending(1), held)
      .when(begin(1))
      .thenNothing();
    automation
      .given(created, ...pending(1), over('canceled', 1, 'Over.'))
      .when(begin(1))
      .thenNothing();
    automation.given(created).when(begin(1)).thenNothing();
  });

  it('comes for what waits when the schedule is over', () =>
    automation
      .given(created, ...pending(1), { type: 'automation.completed', at: minutes(1), because: 'schedule_over' })
      .when(begin(1))
      .thenOnce(admitting(1)));
});

describe('an admission that fails', () => {
  const being = [created, ...pending(1), admitting(1)];

  it('is tried again until its time is over, counted from the first try', () => {
    const lastTry = seconds(61 + 900);
    automation
      .given(...being)
      .when(defer(1))
      .thenOnce(deferred(1));
    automation
      .given(...being)
      .when(defer(1, lastTry))
      .thenOnce(deferred(1, lastTry));
    automation
      .given(...being)
      .when(defer(1, seconds(61 + 901)))
      .thenOnce(over('rejected', 1, 'Full.'));
    automation
      .given(...being, deferred(1), admitting(1, minutes(2), 2))
      .when(defer(1, seconds(61 + 901)))
      .thenOnce(over('rejected', 1, 'Full.'));
  });

  it('is given up for good', () => {
    automation
      .given(...being)
      .when(rejectIt(1))
      .thenOnce(over('rejected', 1, 'Disabled.'));
    automation
      .given(created, ...pending(1))
      .when(rejectIt(1))
      .thenOnce(over('rejected', 1, 'Disabled.'));
  });

  it('is canceled where the automation is not enabled any more in that epoch', () => {
    for (const event of [[paused], [paused, resumed], [{ type: 'automation.archived', at: minutes(1) } as const]]) {
      const given = automation.given(...being, ...event);
      given.when(defer(1)).thenOnce(over('canceled', 1, 'Full.'));
      given.when(rejectIt(1)).thenOnce(over('canceled', 1, 'Disabled.'));
    }
  });

  it('is kept while it is held', () =>
    automation
      .given(...being, held)
      .when(defer(1))
      .thenOnce(deferred(1)));

  it('changes nothing of what was accepted, nor of what waits', () => {
    automation
      .given(created, ...running(1))
      .when(defer(1))
      .thenNothing();
    automation
      .given(created, ...running(1))
      .when(rejectIt(1))
      .thenNothing();
    automation
      .given(created, ...pending(1))
      .when(defer(1))
      .thenNothing();
  });
});

describe('the end of a run', () => {
  it('is recorded once', () =>
    automation
      .given(created, ...running(1))
      .when(finish(1))
      .thenOnce(finished(1, minutes(2))));

  it('tells the acceptance as well, where that was not recorded', () => {
    const late = { ...accepted(1), at: minutes(2) };
    automation
      .given(having({ trigger: 'once' }), ...pending(1), admitting(1))
      .when(finish(1))
      .thenOnce(late, { ...last(1, 'once'), at: minutes(2) }, finished(1, minutes(2)));
    automation
      .given(created, ...pending(1), admitting(1), deferred(1))
      .when(finish(1))
      .thenOnce(late, finished(1, minutes(2)));
  });

  it('of what has no run tells nothing', () => {
    automation
      .given(created, ...pending(1))
      .when(finish(1))
      .thenNothing();
    automation.given(created).when(finish(1)).thenNothing();
  });
});
