import { asId, because, refuse, Unavailable, type RunId } from '@app/kernel';
import type { InputRecorded } from '../inputs/input.stream';
import { handleDue, handleEnd, handleRunEnded } from './fire';
import { admitNext } from './admit-next';

import { at, automationId, epoch, everyMinute, heldNow, onEvents, SmallWorld, startMs } from '../../test/small-world';

const fired = ['arose', 'admitting', 'accepted'];
const runOf = (world: SmallWorld) => world.state?.active[0]?.runId ?? asId<RunId>('none');

describe('a due time', () => {
  it('fires, and the next is scheduled', async () => {
    const world = new SmallWorld(everyMinute);
    await world.due(60);
    expect(world.news()).toEqual(fired);
    expect(world.nextDue()).toBe(at(120));
    expect(world.looks).toBe(1);
  });

  it('fires once, however often its timer comes', async () => {
    const world = new SmallWorld(everyMinute);
    await world.due(60);
    await world.due(61, 60);
    await world.due(119, 60);
    expect(world.news()).toEqual(fired);
    expect(world.nextDue()).toBe(at(120));
  });

  it('counts alone when earlier ones are past as well', async () => {
    const world = new SmallWorld(everyMinute);
    await world.due(630, 60);
    expect(world.news()).toEqual(fired);
    expect(world.state?.memory.lastDueAt).toBe(at(600));
    expect(world.nextDue()).toBe(at(660));
  });

  it('is rejected more than an hour late', async () => {
    const daily = { kind: 'cron', expression: '0 12 * * *', timezone: 'UTC' } as const;
    const world = new SmallWorld({ ...everyMinute, wake: { kind: 'schedule', schedule: daily } });
    await world.due(7200 + 3601, 7200);
    expect(world.news()).toEqual(['arose', 'rejected']);
    await world.due(86400 + 7200 + 3600, 86400 + 7200);
    expect(world.news()).toEqual(fired);
  });

  it.each(['held', 'paused'])('passes without a trace while %s', async (how) => {
    const world = new SmallWorld(everyMinute);
    if (how === 'held') world.give({ type: 'HoldAutomation', at: at(1), reason: 'why' });
    world.pausedByOperator = how === 'paused';
    await world.due(60);
    expect(world.news()).toEqual([]);
    expect(world.looks).toBe(0);
    expect(world.nextDue()).toBe(at(120));
  });

  it('of an activation that is over does nothing', async () => {
    const world = new SmallWorld(everyMinute);
    await handleDue(world, { automationId, epoch: 'another', dueAt: at(60) });
    expect(world.news()).toEqual([]);
    expect(world.timers.size).toBe(0);
  });

  it('that was the last one finishes the automation', async () => {
    const once = { kind: 'once', at: at(60) } as const;
    const world = new SmallWorld({ ...everyMinute, wake: { kind: 'schedule', schedule: once } });
    await world.due(60);
    expect(world.news()).toEqual(fired);
    expect(world.state?.completed).toBe(true);
    expect(world.nextDue()).toBeUndefined();
  });

  it('that was the last one is gone on with where its admission was cut off', async () => {
    const once = { kind: 'once', at: at(60) } as const;
    const world = new SmallWorld({ ...everyMinute, wake: { kind: 'schedule', schedule: once } });
    const { admit } = world;
    world.admit = () => Promise.reject(new Error('killed'));
    await expect(world.due(60)).rejects.toThrow('killed');
    expect([world.news(), world.state?.completed]).toEqual([['arose', 'admitting'], true]);
    world.admit = admit;
    await world.due(61, 60);
    expect(world.news()).toEqual(['accepted']);
  });
});

describe('an input', () => {
  it.each([
    ['webhook', 'paid', fired],
    ['webhook', 'other', []],
    ['signal', 'signal', fired],
    ['invoke', 'invoke', fired],
  ] as const)('by %s of type %s', async (source, type, news) => {
    const world = new SmallWorld(onEvents);
    await world.input(5, source, type);
    await world.input(5, source, type);
    expect(world.news()).toEqual(news);
  });

  it.each<[string, (world: SmallWorld) => unknown, InputRecorded['source'], string, string]>([
    ['a type that is not awaited', () => undefined, 'webhook', 'other', 'type_not_awaited'],
    ['a paused automation', (world: SmallWorld) => world.act('PauseAutomation'), 'signal', 'x', 'paused'],
    ['a held automation', (world: SmallWorld) => world.give(heldNow), 'signal', 'x', 'paused'],
    ['a paused deployment', (world: SmallWorld) => (world.pausedByOperator = true), 'signal', 'x', 'paused'],
    ['another activation', (world: SmallWorld) => world.begin('another'), 'signal', 'x', 'stale'],
    ['an archived automation', (world: SmallWorld) => world.act('ArchiveAutomation'), 'signal', 'x', 'rejected'],
  ])('for %s is passed over, once', async (_, meanwhile, source, type, outcome) => {
    const world = new SmallWorld(onEvents);
    meanwhile(world);
    world.events.length = 0;
    await world.input(5, source, type);
    await world.input(5, source, type);
    expect(world.events).toMatchObject([{ type: 'input.passed_over', inputPosition: 5, outcome }]);
    expect(world.looks).toBe(0);
  });

  it('by invoke arises even where it cannot be taken, and waits while the deployment is paused', async () => {
    const world = new SmallWorld(onEvents);
    world.pausedByOperator = true;
    await world.input(5, 'invoke');
    expect(world.news()).toEqual(['arose']);
    world.give(heldNow);
    await world.input(6, 'invoke');
    expect(world.news()).toEqual(['arose', 'rejected']);
  });

  it('by webhook is none for a schedule', async () => {
    const world = new SmallWorld(everyMinute);
    await world.input(5, 'webhook');
    expect(world.news()).toEqual([]);
  });

  it('from before the activation is not made up for', async () => {
    const world = new SmallWorld(onEvents);
    await world.input(-1, 'signal');
    world.pausedByOperator = true;
    await world.input(5, 'signal');
    expect(world.news()).toEqual([]);
  });
});

describe('an admission', () => {
  it('that fails for a reason that passes is tried again, later each time, and given up in the end', async () => {
    const world = new SmallWorld(onEvents);
    const noCapacity = refuse(because('execution_capacity'));
    world.answers = Array.from({ length: 20 }, () => noCapacity);
    await world.input(5, 'signal');
    expect(world.news()).toEqual(['arose', 'admitting', 'deferred']);
    const waits: number[] = [];
    for (let tries = 0; tries < 20 && (world.state?.active.length ?? 0) > 0; tries += 1) {
      const retryAt = [...world.timers.values()][0]?.dueAt ?? at(0);
      const seconds = (Date.parse(retryAt) - startMs) / 1000;
      waits.push(seconds - world.nowSeconds);
      world.nowSeconds = seconds - 1;
      await admitNext(world, automationId);
      world.nowSeconds = seconds;
      await admitNext(world, automationId);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300]);
    expect(world.news().at(-1)).toBe('rejected');
  });

  it('for good is followed by the next in turn', async () => {
    const world = new SmallWorld(onEvents);
    await world.input(5, 'signal');
    await world.input(6, 'signal');
    world.news();
    world.answers = [refuse(because('profile_unknown_tool'))];
    await world.input(7, 'signal');
    await handleRunEnded(world, automationId, runOf(world));
    expect(world.news()).toEqual(['arose', 'finished', 'admitting', 'rejected', 'admitting', 'accepted']);
  });

  it('of a frozen budget, and of a disabled account, is rejected', async () => {
    const world = new SmallWorld(onEvents);
    world.answers = [refuse(because('budget_exhausted', false))];
    await world.input(5, 'signal');
    world.isDisabled = true;
    await world.input(6, 'signal');
    expect(world.news()).toEqual(['arose', 'admitting', 'rejected', 'arose', 'admitting', 'rejected']);
  });

  it('of which nothing was heard is asked about again, and nothing else is begun', async () => {
    const world = new SmallWorld(onEvents);
    world.answers = [new Unavailable('event store')];
    await world.input(5, 'signal');
    expect(world.news()).toEqual(['arose', 'admitting']);
    await admitNext(world, automationId);
    expect(world.news()).toEqual(['accepted']);
  });

  it('waits while the automations of the deployment are paused', async () => {
    const world = new SmallWorld(onEvents);
    await world.input(5, 'signal');
    await world.input(6, 'signal');
    world.pausedByOperator = true;
    await handleRunEnded(world, automationId, runOf(world));
    expect(world.news()).toEqual(['arose', 'admitting', 'accepted', 'arose', 'finished']);
    expect([...world.timers.values()].map(({ kind, dueAt }) => [kind, dueAt])).toEqual([['occurrence', at(66)]]);
    world.pausedByOperator = false;
    await admitNext(world, automationId);
    expect(world.news()).toEqual(['admitting', 'accepted']);
  });
});

describe('the end of a run', () => {
  it('finishes an occurrence whose admission was cut off', async () => {
    const world = new SmallWorld(onEvents);
    world.answers = [new Unavailable('event store')];
    await world.input(5, 'signal');
    world.news();
    await handleRunEnded(world, automationId, runOf(world));
    expect(world.news()).toEqual(['accepted', 'finished']);
  });

  it('of another run in its conversation changes nothing', async () => {
    const world = new SmallWorld(onEvents);
    await world.input(5, 'signal');
    world.news();
    await handleRunEnded(world, automationId, asId<RunId>('of the user'));
    expect(world.news()).toEqual([]);
  });
});

describe('the end of an automation', () => {
  it('comes at its time, and not before', async () => {
    const world = new SmallWorld({ ...everyMinute, firing: { ...everyMinute.firing, endAt: at(100) } });
    await handleEnd(world, { automationId, epoch });
    expect(world.state?.completed).toBe(false);
    expect([...world.timers.values()].map(({ dueAt }) => dueAt)).toEqual([at(100)]);
    world.nowSeconds = 100;
    await handleEnd(world, { automationId, epoch });
    expect(world.state?.completed).toBe(true);
  });
});
