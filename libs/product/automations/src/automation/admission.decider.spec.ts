import { specification } from '@app/testing/deciders';
import {
  accepted,
  admitting,
  arose,
  createdWith,
  definitionWith,
  dueAt,
  evaluated,
  finished,
  minutes,
  occurrence,
  running,
  runOf,
  secondEpoch,
  seconds,
  signalAt,
} from '../../test/automation-facts';
import type { FiringPolicy } from '../definition/automation-definition';
import { automationDecider } from './automation.decider';
import type { AutomationEvent, CompletionCause, OccurrenceEvent } from './automation.events';

const automation = specification(automationDecider);
const created = createdWith();
const having = (firing: Partial<FiringPolicy>) => createdWith(definitionWith(firing));
const pending = (minute: number): AutomationEvent[] => [evaluated(minute, 'true'), arose(dueAt(minute))];

const begin = (minute: number, at = seconds(minute * 60 + 1)) => ({
  type: 'BeginAdmission' as const,
  at,
  occurrenceId: occurrence(minute),
  ...runOf(minute),
});
const acceptIt = (minute: number) =>
  ({ ...begin(minute, seconds(minute * 60 + 2)), type: 'AcceptOccurrence' }) as const;
const defer = (minute: number, retryAt = minutes(minute + 1)) => ({
  type: 'DeferOccurrence' as const,
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: 'Full.',
  retryAt,
});
const rejectIt = (minute: number) => ({
  type: 'RejectOccurrence' as const,
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: 'Disabled.',
});
const finish = (minute: number) => ({
  type: 'FinishOccurrence' as const,
  at: minutes(minute + 1),
  occurrenceId: occurrence(minute),
});
const deferred = (minute: number, retryAt = minutes(minute + 1)): OccurrenceEvent => ({
  type: 'occurrence.deferred',
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: 'Full.',
  retryAt,
});
const ended = (type: 'rejected' | 'canceled', minute: number, reason: string): OccurrenceEvent => ({
  type: `occurrence.${type}`,
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason,
});
const completed = (minute: number, because: CompletionCause): AutomationEvent => ({
  type: 'automation.completed',
  at: seconds(minute * 60 + 2),
  because,
});

const paused: AutomationEvent = { type: 'automation.paused', at: seconds(61) };
const held: AutomationEvent = { type: 'automation.held', at: seconds(61), reason: 'odd' };
const resumed: AutomationEvent = { type: 'automation.resumed', at: seconds(61), epoch: secondEpoch };

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
      .given(created, ...pending(1), ended('canceled', 1, 'Over.'))
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

describe('an acceptance', () => {
  const being = [...pending(1), admitting(1)];

  it('is recorded once, whatever happened to the automation', () => {
    for (const event of [[], [paused], [held], [resumed], [{ type: 'automation.archived', at: minutes(1) } as const]])
      automation
        .given(created, ...being, ...event)
        .when(acceptIt(1))
        .thenOnce(accepted(1));
  });

  it('is recorded after a deferral too: two admitted it at once', () =>
    automation
      .given(created, ...being, deferred(1))
      .when(acceptIt(1))
      .thenOnce(accepted(1)));

  it('needs an admission', () => {
    automation
      .given(created, ...pending(1))
      .when(acceptIt(1))
      .thenNothing();
    automation.given(created).when(acceptIt(1)).thenNothing();
  });

  it('counts, and starts the cooldown, in its own epoch', () => {
    const cooling = having({ cooldownSeconds: 90 });
    const { state } = automation.given(cooling, ...being, accepted(1));
    expect(state).toMatchObject({ occurrences: 1, memory: { lastAcceptedFor: minutes(1) } });
    const late = automation.given(cooling, ...being, paused, resumed, accepted(1));
    expect(late.state).toMatchObject({ occurrences: 1, memory: { lastAcceptedFor: null } });
  });

  it('finishes an automation that fires once, and rejects what still waits', () => {
    const invoked = arose(signalAt(2, { trigger: 'invoke' }));
    automation
      .given(having({ trigger: 'once' }), ...being, invoked)
      .when(acceptIt(1))
      .thenOnce(accepted(1), completed(1, 'once'), {
        ...ended('rejected', 1, 'The automation has finished.'),
        occurrenceId: occurrence(2),
      });
  });

  it('finishes one that had its number', () => {
    const limited = having({ maxOccurrences: 2 });
    automation
      .given(limited, ...being)
      .when(acceptIt(1))
      .thenOnce(accepted(1));
    automation
      .given(limited, ...running(1), finished(1, minutes(2)), ...pending(2), admitting(2), ...pending(3))
      .when(acceptIt(2))
      .thenOnce(accepted(2), completed(2, 'max_occurrences'), {
        ...ended('rejected', 2, 'The automation has finished.'),
        occurrenceId: occurrence(3),
      });
  });

  it('rejects what still waits at its number also after its end', () => {
    automation
      .given(having({ maxOccurrences: 1 }), ...being, ...pending(2), completed(1, 'end_at'))
      .when(acceptIt(1))
      .thenOnce(accepted(1), {
        ...ended('rejected', 1, 'The automation has finished.'),
        occurrenceId: occurrence(2),
      });
  });

  it('finishes nothing by an invocation, by an epoch that is over, or twice', () => {
    const once = having({ trigger: 'once' });
    automation
      .given(once, arose(signalAt(1, { trigger: 'invoke' })), admitting(1))
      .when(acceptIt(1))
      .thenOnce(accepted(1));
    automation
      .given(once, ...being, paused, resumed)
      .when(acceptIt(1))
      .thenOnce(accepted(1));
    automation
      .given(having({ maxOccurrences: 1 }), ...being, {
        type: 'automation.completed',
        at: minutes(1),
        because: 'end_at',
      })
      .when(acceptIt(1))
      .thenOnce(accepted(1));
  });
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
      .thenOnce(ended('rejected', 1, 'Full.'));
    automation
      .given(...being, deferred(1), admitting(1, minutes(2), 2))
      .when(defer(1, seconds(61 + 901)))
      .thenOnce(ended('rejected', 1, 'Full.'));
  });

  it('is given up for good', () => {
    automation
      .given(...being)
      .when(rejectIt(1))
      .thenOnce(ended('rejected', 1, 'Disabled.'));
    automation
      .given(created, ...pending(1))
      .when(rejectIt(1))
      .thenOnce(ended('rejected', 1, 'Disabled.'));
  });

  it('is canceled where the automation is not enabled any more in that epoch', () => {
    for (const event of [[paused], [paused, resumed], [{ type: 'automation.archived', at: minutes(1) } as const]]) {
      const given = automation.given(...being, ...event);
      given.when(defer(1)).thenOnce(ended('canceled', 1, 'Full.'));
      given.when(rejectIt(1)).thenOnce(ended('canceled', 1, 'Disabled.'));
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
      .thenOnce(late, { ...completed(1, 'once'), at: minutes(2) }, finished(1, minutes(2)));
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
