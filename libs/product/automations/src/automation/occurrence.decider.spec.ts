import { specification } from '@app/testing/deciders';
import {
  accepted,
  admitting,
  arose,
  at,
  createdWith,
  definitionWith,
  dueAt,
  evaluated,
  finished,
  firstEpoch,
  minutes,
  occurrence,
  running,
  secondEpoch,
  seconds,
  signalAt,
} from '../../test/automation-facts';
import type { FiringPolicy } from '../definition/automation-definition';
import { automationDecider } from './automation.decider';
import type { RecordMatch } from './automation.commands';
import type { AutomationEvent, OccurrenceEvent, PassedOver } from './automation.events';
import { waitingMax } from './occurrence.decider';

const automation = specification(automationDecider);
const created = createdWith();
const having = (firing: Partial<FiringPolicy>) => createdWith(definitionWith(firing));
/** A whole occurrence of a minute, to the end of its run half a minute later. */
const ran = (minute: number): AutomationEvent[] => [...running(minute), finished(minute, seconds(minute * 60 + 30))];
const invoked = (minute: number) => signalAt(minute, { trigger: 'invoke' });
const ended = (type: 'rejected' | 'skipped', minute: number, reason: string): OccurrenceEvent => ({
  type: `occurrence.${type}`,
  at: seconds(minute * 60 + 1),
  occurrenceId: occurrence(minute),
  reason,
});
const passedOver = (minute: number, outcome: PassedOver): AutomationEvent => {
  const { inputId, position: inputPosition } = signalAt(minute).input!;
  return { type: 'input.passed_over', at: seconds(minute * 60 + 1), inputId, inputPosition, outcome };
};
const completed = (minute: number, because: 'end_at' | 'max_occurrences'): AutomationEvent => ({
  type: 'automation.completed',
  at: seconds(minute * 60 + 1),
  because,
});

describe('a look at the rule', () => {
  it('fires on a match, once', () =>
    automation
      .given(created)
      .when(dueAt(1))
      .thenOnce(evaluated(1, 'true'), arose(dueAt(1))));

  it('records a verdict when it is another one', () => {
    automation
      .given(created)
      .when(dueAt(1, { verdict: 'false' }))
      .thenOnce(evaluated(1, 'false'));
    automation
      .given(created, evaluated(1, 'false'))
      .when(dueAt(2, { verdict: 'false' }))
      .thenNothing();
    automation
      .given(created, evaluated(1, 'false'))
      .when(dueAt(2, { verdict: 'unknown' }))
      .thenOnce(evaluated(2, 'unknown'));
  });

  it('records the verdict with every occurrence', () =>
    automation
      .given(created, ...ran(1))
      .when(dueAt(2))
      .thenOnce(evaluated(2, 'true'), arose(dueAt(2))));

  it.each<[string, AutomationEvent]>([
    ['paused', { type: 'automation.paused', at }],
    ['archived', { type: 'automation.archived', at }],
    ['held', { type: 'automation.held', at, reason: 'odd' }],
    ['finished', { type: 'automation.completed', at, because: 'schedule_over' }],
    ['of another epoch', { type: 'automation.resumed', at, epoch: secondEpoch }],
  ])('of a due time leaves nothing where the automation is %s', (_, event) => {
    automation.given(created, event).when(dueAt(1)).thenNothing();
    automation
      .given(created, event)
      .when(dueAt(1, { tooLate: 'late' }))
      .thenNothing();
  });

  it.each<[string, AutomationEvent, PassedOver, string]>([
    ['paused', { type: 'automation.paused', at }, 'paused', 'The automation was paused.'],
    ['archived', { type: 'automation.archived', at }, 'rejected', 'The automation was archived.'],
    ['held', { type: 'automation.held', at, reason: 'odd' }, 'paused', 'An operator holds the automation.'],
    ['finished', { type: 'automation.completed', at, because: 'end_at' }, 'rejected', 'The automation has finished.'],
    [
      'of another epoch',
      { type: 'automation.resumed', at, epoch: secondEpoch },
      'stale',
      'The automation was changed meanwhile.',
    ],
  ])('of an input says so where the automation is %s; an invocation is rejected', (_, event, outcome, words) => {
    automation.given(created, event).when(signalAt(1)).thenOnce(passedOver(1, outcome));
    automation
      .given(created, event)
      .when(invoked(1))
      .thenOnce(arose(invoked(1)), ended('rejected', 1, words));
  });

  it('of an input says why nothing arises', () => {
    const looked = (verdict: RecordMatch['verdict'], ...given: AutomationEvent[]) =>
      automation.given(...given).when(signalAt(9, { verdict }));
    looked('false', created).thenOnce(evaluated(9, 'false'), passedOver(9, 'not_matched'));
    looked('false', created, evaluated(1, 'false')).thenOnce(passedOver(9, 'not_matched'));
    looked('unknown', created, evaluated(1, 'unknown')).thenOnce(passedOver(9, 'unknown'));
    looked('true', having({ trigger: 'edge' }), ...ran(1)).thenOnce(passedOver(9, 'not_matched'));
    looked('true', having({ cooldownSeconds: 900 }), ...ran(1)).thenOnce(passedOver(9, 'cooldown'));
    looked('true', having({ maxOccurrences: 1 }), ...ran(1)).thenOnce(
      completed(9, 'max_occurrences'),
      passedOver(9, 'rejected'),
    );
  });

  it('of an input that was passed over leaves nothing more, nor does passing it over again', () => {
    const pass = { type: 'PassOverInput', at: seconds(61), position: 101, outcome: 'type_not_awaited' } as const;
    const inputId = signalAt(1).input!.inputId;
    automation
      .given(created)
      .when({ ...pass, inputId })
      .thenOnce(passedOver(1, 'type_not_awaited'));
    automation.given(created, passedOver(2, 'stale')).when(signalAt(1)).thenNothing();
    automation
      .given(created, passedOver(2, 'stale'))
      .when({ ...pass, inputId })
      .thenNothing();
  });

  it('is of no effect for a due time or an input that led to an occurrence, even when that is over', () => {
    const over = automation.given(created, ...ran(2));
    over.when(dueAt(2)).thenNothing();
    over.when(dueAt(1)).thenNothing();
    const signalled = [evaluated(2, 'true'), arose(signalAt(2)), admitting(2), accepted(2), finished(2, minutes(3))];
    automation
      .given(created, ...signalled)
      .when(signalAt(2))
      .thenNothing();
    automation
      .given(created, ...signalled, { type: 'automation.resumed', at: minutes(4), epoch: secondEpoch })
      .when(signalAt(2, { epoch: secondEpoch }))
      .thenNothing();
  });

  it('rejects what comes too late, without looking', () => {
    const late = dueAt(1, { tooLate: 'Too late.', verdict: 'unknown' });
    automation
      .given(created)
      .when(late)
      .thenOnce(arose(late), ended('rejected', 1, 'Too late.'));
  });
});

describe('trigger `edge`', () => {
  const edge = having({ trigger: 'edge', cooldownSeconds: 300, overlap: 'skip' });
  it('fires again only after something else was known', () => {
    automation
      .given(edge, ...ran(1))
      .when(dueAt(10))
      .thenNothing();
    automation
      .given(edge, ...ran(1), evaluated(2, 'unknown'))
      .when(dueAt(10))
      .thenOnce(evaluated(10, 'true'));
    automation
      .given(edge, ...ran(1), evaluated(2, 'false'))
      .when(dueAt(10))
      .thenOnce(evaluated(10, 'true'), arose(dueAt(10)));
  });

  it('is spent also by what cooldown or overlap kept from firing', () => {
    const cooling = [edge, ...ran(1), evaluated(2, 'false')];
    automation
      .given(...cooling)
      .when(dueAt(3))
      .thenOnce(evaluated(3, 'true'));
    automation
      .given(...cooling, evaluated(3, 'true'))
      .when(dueAt(10))
      .thenNothing();
    const skipped = [arose(dueAt(10)), ended('skipped', 10, 'The one before was still active.')];
    const overlapping = [edge, ...running(1), evaluated(2, 'false')];
    automation
      .given(...overlapping)
      .when(dueAt(10))
      .thenOnce(evaluated(10, 'true'), ...skipped);
    automation
      .given(...overlapping, evaluated(10, 'true'), ...skipped)
      .when(dueAt(11))
      .thenNothing();
  });

  it('begins anew with each epoch', () =>
    automation
      .given(edge, ...ran(1), { type: 'automation.resumed', at: minutes(2), epoch: secondEpoch })
      .when(dueAt(3, { epoch: secondEpoch }))
      .thenOnce(evaluated(3, 'true', secondEpoch), arose(dueAt(3, { epoch: secondEpoch }))));
});

describe('trigger `once`', () => {
  const once = having({ trigger: 'once' });
  it('takes no other match while one is under way', () => {
    automation
      .given(once, evaluated(1, 'true'), arose(dueAt(1)))
      .when(dueAt(2))
      .thenNothing();
  });
  it('takes the next when the first was rejected', () =>
    automation
      .given(once, evaluated(1, 'true'), arose(dueAt(1)), ended('rejected', 1, 'No.'))
      .when(dueAt(2))
      .thenOnce(evaluated(2, 'true'), arose(dueAt(2))));
  it('is not kept from its match by an invocation', () =>
    automation
      .given(once, arose(invoked(1)), admitting(1), accepted(1))
      .when(dueAt(2))
      .thenOnce(evaluated(2, 'true'), arose(dueAt(2))));
});

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
    // The rule has not come to the signal of an earlier minute yet.
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
      { type: 'occurrence.rejected', at, occurrenceId: occurrence(nth + 10), reason: 'No.' } as const,
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

describe('the state', () => {
  it('knows what is active, oldest first, and how far due times and inputs have come', () => {
    const { state } = automation.given(created, ...running(1), evaluated(2, 'true'), arose(signalAt(2)));
    expect(state?.active.map(({ delivery, trigger }) => [delivery, trigger])).toEqual([
      ['accepted', 'schedule'],
      ['pending', 'signal'],
    ]);
    expect(state?.memory).toStrictEqual({
      lastKnown: true,
      lastVerdict: 'true',
      lastAcceptedFor: minutes(1),
      lastDueAt: minutes(1),
      lastInputPosition: signalAt(2).input?.position,
      invokedPositions: [],
      invokedUpTo: 0,
    });
    expect(state?.epoch).toBe(firstEpoch);
  });
});
