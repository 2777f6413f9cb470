import { asId, because, causeOfService, erased, refuse } from '@app/kernel';
import type { ConversationId, OccurrenceId, RunId } from '@app/kernel';
import { factsOf } from '../src/condition/readings';
import { evaluate } from '../src/condition/condition-evaluator';
import { openDefinition, shownDefinition, type StoredDefinition } from '../src/definition/automation-definition';
import { behaviorText } from '../src/definition/behavior';
import { OccurrenceAdmission } from '../src/firing/occurrence-admission';
import { at, automationId, onEvents, SmallWorld } from './small-world';

const bindings = [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 }] as const;
const open = {
  ...onEvents,
  profile: { instructions: 'be kind' },
  condition: { bindings, rule: { exists: { binding: 'order', field: '/data/id' } } },
} as const;
const gone: StoredDefinition = {
  ...open,
  name: erased,
  prompt: erased,
  profile: erased,
  condition: { bindings, rule: erased },
};

describe('a definition whose words were erased', () => {
  it('is not open, and is shown as it is', () => {
    expect([openDefinition(open), shownDefinition(open)]).toEqual([open, open]);
    expect(JSON.stringify(shownDefinition(open))).toBe(JSON.stringify(open));
    expect([openDefinition(gone), shownDefinition(gone)]).toEqual([null, gone]);
    for (const one of ['name', 'prompt', 'profile', 'condition'] as const)
      expect(openDefinition({ ...open, [one]: gone[one] })).toBeNull();
  });

  it('is shown without what is sealed', () => {
    const sealed = { sealed: 'ciphertext' };
    const stored = { ...open, name: sealed, prompt: sealed, profile: sealed, condition: { bindings, rule: sealed } };
    expect(shownDefinition(stored)).toEqual(gone);
  });

  it('is unknown at each evaluation, so that nothing fires', () => {
    expect(evaluate(gone.condition, {}, at(1))).toEqual({ verdict: 'unknown', evaluatedAt: at(1), reasons: [] });
    expect(factsOf(gone.condition, {})).toEqual({ facts: [], omittedFacts: 0 });
  });

  it('has a behavior without them', () =>
    expect(behaviorText(gone)).toContain(
      'When an event of type “paid” arrives, if its condition, which was erased, holds, the task runs',
    ));

  it('starts no run', async () => {
    const { state } = new SmallWorld(onEvents);
    if (state === null) throw new Error('there is no automation');
    const conversationId = asId<ConversationId>('c');
    const place = { occurrenceId: asId<OccurrenceId>('o'), conversationId, runId: asId<RunId>('r') };
    // Reason for the assertion: it refuses before it uses any of them.
    const none = {} as never;
    const admitted = new OccurrenceAdmission(none, none, none, none).admit(
      automationId,
      { ...state, definition: gone },
      { ...place, trigger: 'schedule' },
      causeOfService('test', 'request'),
    );
    expect(await admitted).toEqual(refuse(because('automation_completed')));
  });
});

describe('an input whose event was erased', () => {
  it.each(['signal', 'webhook'] as const)('by %s is passed over, once', async (source) => {
    const world = new SmallWorld(onEvents);
    world.events.length = 0;
    await world.input(5, source, null);
    await world.input(5, source, null);
    expect(world.events).toMatchObject([{ type: 'input.passed_over', inputPosition: 5, outcome: 'unknown' }]);
    expect(world.looks).toBe(0);
  });

  it('is passed over for what keeps any other from being evaluated', async () => {
    const world = new SmallWorld(onEvents);
    world.act('ArchiveAutomation');
    world.events.length = 0;
    await world.input(5, 'signal', null);
    expect(world.events).toMatchObject([{ type: 'input.passed_over', outcome: 'rejected' }]);
  });
});
