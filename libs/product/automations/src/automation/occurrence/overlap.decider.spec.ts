import { sentence, words, type Ours } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import {
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
  seconds,
} from '../../../test/automation-facts';
import type { FiringPolicy } from '../../definition/automation-definition';
import { automationDecider } from '../automation.decider';
import type { AutomationEvent, OccurrenceEvent } from '../automation.events';
import { waitingMax } from './occurrence.decider';

const automation = specification(automationDecider);
const created = createdWith();
const having = (firing: Partial<FiringPolicy>) => createdWith(definitionWith(firing));
/** A whole occurrence of a minute, to the end of its run half a minute later. */
const ran = (minute: number): AutomationEvent[] => [...running(minute), finished(minute, seconds(minute * 60 + 30))];
const ended = <const Text extends string>(
  type: 'rejected' | 'skipped',
  minute: number,
  reason: Ours<Text>,
): OccurrenceEvent => ({
  type: `occurrence.${type}`,
  at: seconds(minute * 60 + 1),
  occurrenceId: occurrence(minute),
  reason: sentence(reason),
});
const completed = (minute: number, because: 'end_at' | 'max_occurrences'): AutomationEvent => ({
  type: 'automation.completed',
  at: seconds(minute * 60 + 1),
  because,
});

describe('limits', () => {
  it('end the automation at the first look beyond them, whatever the verdict', () => {
    const ending = having({ endAt: minutes(2) });
    automation
      .given(ending)
      .when(dueAt(2, { verdict: 'false' }))
      .thenOnce(completed(2, 'end_at'));
    const limited = having({ maxOccurrences: 1 });
    automation
      .given(limited, ...ran(1))
      .when(dueAt(2))
      .thenOnce(completed(2, 'max_occurrences'));
  });
});

describe('the overlap policy', () => {
  const waiting = [evaluated(2, 'true'), arose(dueAt(2))];
  const looked = (minute: number) => [evaluated(minute, 'true'), arose(dueAt(minute))];

  it('skips', () =>
    automation
      .given(having({ overlap: 'skip' }), ...running(1))
      .when(dueAt(2))
      .thenOnce(...looked(2), ended('skipped', 2, 'The one before was still active.')));

  it('coalesces what waits into the new one; what is being admitted or runs goes on', () => {
    const into: OccurrenceEvent = {
      type: 'occurrence.coalesced',
      at: seconds(181),
      occurrenceId: occurrence(2),
      into: occurrence(3),
    };
    const coalescing = having({ overlap: 'coalesce' });
    automation
      .given(coalescing, ...running(1), ...waiting)
      .when(dueAt(3))
      .thenOnce(...looked(3), into);
    automation
      .given(coalescing, ...looked(1), admitting(1))
      .when(dueAt(2))
      .thenOnce(...looked(2));
    const deferred: OccurrenceEvent = {
      type: 'occurrence.deferred',
      at: seconds(122),
      occurrenceId: occurrence(2),
      reason: words`Full.`,
      retryAt: minutes(4),
    };
    automation
      .given(coalescing, ...waiting, admitting(2), deferred)
      .when(dueAt(3))
      .thenOnce(...looked(3), into);
  });

  it('queues up to a hundred, and rejects the next', () => {
    const queued = (count: number) => Array.from({ length: count }, (_, index) => looked(index + 2)).flat();
    const last = waitingMax + 1;
    automation
      .given(created, ...running(1), ...queued(waitingMax - 1))
      .when(dueAt(last))
      .thenOnce(...looked(last));
    automation
      .given(created, ...running(1), ...queued(waitingMax))
      .when(dueAt(last + 1))
      .thenOnce(...looked(last + 1), ended('rejected', last + 1, '100 others were waiting already.'));
  });
});
