import { words, type Words } from '@app/kernel';
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
  firstEpoch,
  having,
  invoked,
  minutes,
  passedOver,
  ran,
  running,
  secondEpoch,
  seconds,
  signalAt,
} from '../../../test/automation-facts';
import { automationDecider } from '../automation.decider';
import type { RecordMatch } from '../automation.commands';
import type { AutomationEvent, PassedOver } from '../automation.events';

const automation = specification(automationDecider);
const created = createdWith();

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

  it('at the last due time finishes the automation, whatever comes of it', () => {
    const last = { scheduleOver: true } as const;
    const over = { type: 'automation.completed', at: dueAt(1).at, because: 'schedule_over' } as const;
    automation
      .given(created)
      .when(dueAt(1, last))
      .thenOnce(evaluated(1, 'true'), arose(dueAt(1)), over);
    automation
      .given(created)
      .when(dueAt(1, { ...last, verdict: 'false' }))
      .thenOnce(evaluated(1, 'false'), over);
    automation.given(created, { type: 'automation.held', at, reason: 'why' }).when(dueAt(1, last)).thenNothing();
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
      .when(dueAt(1, { tooLate: words`late` }))
      .thenNothing();
  });

  it.each<[string, AutomationEvent, PassedOver, Words]>([
    ['paused', { type: 'automation.paused', at }, 'paused', words`The automation was paused.`],
    ['archived', { type: 'automation.archived', at }, 'rejected', words`The automation was archived.`],
    ['held', { type: 'automation.held', at, reason: 'odd' }, 'paused', words`An operator holds the automation.`],
    [
      'finished',
      { type: 'automation.completed', at, because: 'end_at' },
      'rejected',
      words`The automation has finished.`,
    ],
    [
      'of another epoch',
      { type: 'automation.resumed', at, epoch: secondEpoch },
      'stale',
      words`The automation was changed meanwhile.`,
    ],
  ])('of an input says so where the automation is %s; an invocation is rejected', (_, event, outcome, reason) => {
    automation.given(created, event).when(signalAt(1)).thenOnce(passedOver(1, outcome));
    automation
      .given(created, event)
      .when(invoked(1))
      .thenOnce(arose(invoked(1)), ended('rejected', 1, reason));
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
    const late = dueAt(1, { tooLate: words`Too late.`, verdict: 'unknown' });
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

  it('begins again with each epoch', () =>
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
