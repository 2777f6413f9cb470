import { specification } from '@app/testing/deciders';
import {
  admitting,
  arose,
  at,
  createdWith,
  createWith,
  definitionWith,
  dueAt,
  evaluated,
  eve,
  firstEpoch,
  minutes,
  running,
  secondEpoch,
  seconds,
} from '../../test/automation-facts';
import {
  archive,
  archived,
  busy,
  canceled,
  completed,
  held,
  pause,
  paused,
  resume,
  resumed,
  revision,
  rotate,
  rotated,
  soon,
  update,
  updated,
} from '../../test/automation-changes';
import type { AutomationCommand } from './automation.commands';
import { automationDecider } from './automation.decider';
import type { AutomationEvent } from './automation.events';
import { revisionOf } from './automation.state';
import { isFinished } from './finished';

const automation = specification(automationDecider);
const created = createdWith();

describe('creation', () => {
  it('happens once', () => automation.when(createWith()).thenOnce(created));
  it('of another user finds nothing', () =>
    automation
      .given(created)
      .when({ ...createWith(), userId: eve })
      .thenRefused('not_found'));
  it('gives an enabled automation at its first revision', () => {
    const { state } = automation.given(created);
    expect(state).toMatchObject({ state: 'enabled', held: false, completed: false, epochAt: at, occurrences: 0 });
    expect(revisionOf(state!)).toBe(revision);
  });
});

describe('what is not there, or is not the user’s', () => {
  const commands: readonly AutomationCommand[] = [pause, resume, archive, rotate, update];
  it.each(commands)('$type finds nothing', (command) => {
    automation.when(command).thenRefused('not_found');
    automation
      .given(created)
      .when({ ...command, userId: eve } as AutomationCommand)
      .thenRefused('not_found');
  });
  it('is neither looked at nor decided on', () => {
    automation.when(dueAt(1)).thenRefused('not_found');
    automation.when({ type: 'HoldAutomation', at, reason: 'odd' }).thenRefused('not_found');
  });
});

describe('the revision', () => {
  it.each([pause, resume, rotate, update] as const)('must be the present one for $type', (command) => {
    const stale = { ...command, revision: `2.${firstEpoch}` } as AutomationCommand;
    automation.given(created).when(stale).thenRefused('automation_changed');
  });
  it('changes with update and resume, and with nothing else', () => {
    const after = (...events: AutomationEvent[]) => revisionOf(automation.given(created, ...events).state!);
    expect(after(paused, held)).toBe(revision);
    expect(after(paused, resumed)).toBe(`1.${secondEpoch}`);
    expect(after(updated)).toBe(`2.${secondEpoch}`);
  });
});

describe('pause and resume', () => {
  it('pauses, and cancels what waits; what runs goes on', () =>
    automation
      .given(...busy)
      .when(pause)
      .thenOnce(paused, canceled('The automation was paused.')));
  it('leaves what is being admitted alone', () =>
    automation
      .given(created, evaluated(1, 'true'), arose(dueAt(1)), admitting(1))
      .when(pause)
      .then(paused));
  it('resumes with another epoch', () => {
    const given = automation.given(created, evaluated(1, 'true'), paused);
    given.when(resume).then(resumed);
  });
  it('resumes once: the epoch stands', () => automation.given(created).when(resume).thenNothing());
  it('forgets verdicts and acceptances with the epoch, and no counts', () => {
    const { state } = automation.given(created, ...running(1), paused, { ...resumed, at: minutes(9) });
    expect(state).toMatchObject({ epochAt: minutes(9), occurrences: 1 });
    expect(state?.memory).toStrictEqual({
      lastKnown: null,
      lastVerdict: null,
      lastAcceptedFor: null,
      lastDueAt: null,
      lastInputPosition: 0,
      invokedPositions: [],
      invokedUpTo: 0,
    });
  });
});

describe('one that has finished', () => {
  const untilTen = createdWith(definitionWith({ endAt: minutes(10) }));
  const commands = [pause, resume, update] as const;
  const stale = `2.${firstEpoch}`;

  it.each(commands)('refuses $type with automation_completed, whatever the revision says', (command) => {
    for (const over of [completed, archived]) {
      automation.given(created, over).when(command).thenRefused('automation_completed');
      automation.given(created, paused, over).when(command).thenRefused('automation_completed');
      const old = { ...command, revision: stale };
      automation.given(created, over).when(old).thenRefused('automation_completed');
    }
  });

  it.each(commands)('refuses $type at its end, before anybody has said so', (command) =>
    automation
      .given(untilTen)
      .when({ ...command, at: minutes(10) })
      .thenRefused('automation_completed'),
  );

  it('has no due time left once the last one has come', () => {
    const once = { kind: 'schedule', schedule: { kind: 'once', at: minutes(5) } } as const;
    const { state } = automation.given(createdWith({ ...definitionWith(), wake: once }), paused);
    expect([isFinished(state!, seconds(299)), isFinished(state!, minutes(5))]).toEqual([false, true]);
  });

  it('has had as many as an update lets it have', () => {
    const definition = definitionWith({ maxOccurrences: 1 });
    automation
      .given(created, ...running(1))
      .when({ ...update, at: minutes(9), definition })
      .then(
        { ...updated, at: minutes(9), definition },
        { type: 'automation.completed', at: minutes(9), because: 'max_occurrences' },
      );
  });

  it('takes a later end, or more occurrences, as long as it has not', () => {
    const definition = definitionWith({ endAt: minutes(20) });
    automation
      .given(untilTen)
      .when({ ...update, definition })
      .then({ ...updated, definition });
  });

  it('stays as it was stored where an update revived it, as updates once did', () =>
    expect(automation.given(created, completed, updated).state).toMatchObject({ completed: false }));
});

describe('archive', () => {
  it('is for good, and as often as one likes', () => {
    automation.given(created).when(archive).thenOnce(archived);
    const over = automation.given(created, archived);
    for (const command of [pause, resume, update]) over.when(command).thenRefused('automation_completed');
    expect(over.state).toMatchObject({ state: 'archived', archivedAt: soon });
  });
  it('cancels what waits; what runs goes on', () =>
    automation
      .given(...busy)
      .when(archive)
      .thenOnce(archived, canceled('The automation was archived.')));
});

describe('update', () => {
  it('begins a version and an epoch, and cancels what waits', () =>
    automation
      .given(...busy)
      .when(update)
      .then(updated, canceled('The automation was changed.')));
  it('leaves it paused', () =>
    expect(automation.given(created, paused, updated).state).toMatchObject({
      state: 'paused',
      completed: false,
      definitionVersion: 2,
      epochAt: soon,
      updatedAt: soon,
    }));
});

describe('an operator', () => {
  const hold = { type: 'HoldAutomation', at: soon, reason: 'odd' } as const;
  const release = { type: 'ReleaseAutomation', at: soon, reason: 'fine' } as const;
  it('holds once, whatever waits', () =>
    automation
      .given(...busy)
      .when(hold)
      .thenOnce(held));
  it('releases what is held', () => {
    automation.given(created).when(release).thenNothing();
    automation.given(created, held).when(release).thenOnce({ type: 'automation.released', at: soon, reason: 'fine' });
  });
  it('holds nothing that was archived', () => automation.given(created, archived).when(hold).thenNothing());
});

describe('the end', () => {
  const complete = { type: 'CompleteAutomation', at: soon, epoch: firstEpoch, because: 'end_at' } as const;
  it('is recorded once, also of a paused one', () => {
    automation.given(created).when(complete).thenOnce(completed);
    automation.given(created, paused).when(complete).thenOnce(completed);
  });
  it('lets what waits run: it was for an instant before', () =>
    automation
      .given(...busy)
      .when({ ...complete, because: 'schedule_over' })
      .then({ ...completed, because: 'schedule_over' }));
  it('is not recorded for another epoch, nor of an archived one', () => {
    automation
      .given(created)
      .when({ ...complete, epoch: secondEpoch })
      .thenNothing();
    automation.given(created, archived).when(complete).thenNothing();
  });
});

describe('the webhook key', () => {
  const wake = { kind: 'event', types: ['price'] } as const;
  const listening = createdWith({ ...definitionWith(), wake });
  it('changes', () => {
    automation.given(listening).when(rotate).thenOnce(rotated);
    expect(automation.given(listening, rotated).state?.webhookKeyId).toBe('key');
  });
  it('is for an enabled automation that waits for events', () => {
    automation.given(created).when(rotate).thenRefused('automation_changed');
    automation.given(listening, paused).when(rotate).thenRefused('automation_changed');
    automation.given(listening, archived).when(rotate).thenRefused('automation_changed');
  });
});
