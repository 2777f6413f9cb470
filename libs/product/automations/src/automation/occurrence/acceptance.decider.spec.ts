import { specification } from '@app/testing/deciders';
import { begin, deferred, held, last, over, paused, pending, resumed } from '../../../test/admission-facts';
import {
  accepted,
  admitting,
  arose,
  createdWith,
  finished,
  having,
  minutes,
  occurrence,
  running,
  seconds,
  signalAt,
} from '../../../test/automation-facts';
import { automationDecider } from '../automation.decider';

const automation = specification(automationDecider);
const created = createdWith();

const acceptIt = (minute: number) =>
  ({ ...begin(minute, seconds(minute * 60 + 2)), type: 'AcceptOccurrence' }) as const;

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
      .thenOnce(accepted(1), last(1, 'once'), {
        ...over('rejected', 1, 'The automation has finished.'),
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
      .thenOnce(accepted(2), last(2, 'max_occurrences'), {
        ...over('rejected', 2, 'The automation has finished.'),
        occurrenceId: occurrence(3),
      });
  });

  it('rejects what still waits at its number also after its end', () => {
    automation
      .given(having({ maxOccurrences: 1 }), ...being, ...pending(2), last(1, 'end_at'))
      .when(acceptIt(1))
      .thenOnce(accepted(1), {
        ...over('rejected', 1, 'The automation has finished.'),
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
