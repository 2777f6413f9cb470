import { type ConversationEvent, type RunRequest, untuned } from '@app/conversations';
import {
  words,
  asId,
  erased,
  type MessageId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { next, progressAfter, startedProgress, type NextAction } from './next';

const at = instant('2026-03-01T10:00Z');
const of = { at, runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costCents: 1, estimated: false };
const request: RunRequest = { input: { text: 'hello' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 2, ...untuned };

const claimed: ConversationEvent = { type: 'run.claimed', ...of, segment: 1, attempt: 1 };
const stopping: ConversationEvent = { type: 'run.stopping', ...of };
const stepped = (step: number): ConversationEvent => ({
  type: 'agent.step',
  ...of,
  step,
  model: 'scripted',
  usage,
  costMicroCents: 10,
  heard: 0,
});
const said: ConversationEvent = {
  type: 'agent.message',
  ...of,
  messageId: asId<MessageId>('m'),
  text: 'hi',
  truncated: false,
};
const callOf = (id: string) => ({ toolCallId: asId<ToolCallId>(id), tool: 'clock', input: { zone: 'UTC' } });
const called = (id: string): ConversationEvent => ({ type: 'tool.called', ...of, ...callOf(id) });
const returned = (id: string): ConversationEvent => ({
  type: 'tool.returned',
  ...of,
  toolCallId: asId<ToolCallId>(id),
  outcome: 'ok',
  result: 12,
});
const ended: ConversationEvent = {
  type: 'run.ended',
  ...of,
  status: 'aborted',
  response: null,
  output: null,
  failure: null,
  usage,
  userId: asId<UserId>('ada'),
  segment: 1,
  segmentCostCents: 1,
};

const progress = (...events: ConversationEvent[]) =>
  events.reduce(progressAfter, startedProgress({ request, resolved, agentInstructions: null }));
const after = (...events: ConversationEvent[]): NextAction => next(progress(...events), (tool) => tool === 'transfer');
const unreturned = { approval: null, cutOff: false, returned: null };
const open = (...ids: string[]) => ({ kind: 'run_tools', calls: ids.map((id) => ({ ...callOf(id), ...unreturned })) });

const transferOf = (id: string) => ({ toolCallId: asId<ToolCallId>(id), tool: 'transfer', input: {} });
const transfer = (id: string): ConversationEvent => ({ type: 'tool.called', ...of, ...transferOf(id) });
const expiresAt = instant('2026-03-02T10:00Z');
const asked = {
  fingerprint: 'sha256:1',
  fingerprintVersion: 2 as const,
  expiresAt,
  walletId: null,
  input: {},
  contract: null,
  summary: words``,
  terms: [],
};
const opened = (id: string): ConversationEvent => ({
  type: 'approval.opened',
  ...of,
  approvalId: asId(`${id}?`),
  kind: 'agent_tool',
  tool: 'transfer',
  ...asked,
  userId: asId<UserId>('ada'),
  toolCallId: asId<ToolCallId>(id),
  automationId: null,
});
const decided = (id: string, status: 'approved' | 'denied'): ConversationEvent => ({
  type: 'approval.decided',
  at,
  approvalId: asId(`${id}?`),
  status,
  decidedBy: 'user',
  denialReason: status === 'denied' ? 'no' : null,
  runKey: of.runKey,
});
const suspended: ConversationEvent = {
  type: 'run.suspended',
  ...of,
  segment: 1,
  approvalIds: [],
  usage,
  userId: asId<UserId>('ada'),
  segmentCostCents: 1,
};
const resumed: ConversationEvent = { type: 'run.resumed', ...of, segment: 2, approvalIds: [], holder: null };

describe('what is next for a run', () => {
  it('is the model, as long as there are steps left', () => {
    for (const events of [[], [claimed], [stepped(1), called('a'), returned('a')]]) {
      expect(after(...events)).toEqual({ kind: 'ask_model', repairing: false });
    }
  });

  it('is whatever the model called and has not returned, also after another claim', () => {
    expect(after(stepped(1), called('a'), called('b'))).toEqual(open('a', 'b'));
    expect(after(claimed, stepped(1), called('a'), called('b'), returned('a'))).toEqual(open('b'));
    expect(after(stepped(1), stepped(2), called('a'))).toEqual(open('a'));
  });

  it.each([{ erased: true }, { sealed: 'an envelope' }])(
    'is the call with the input that the model gave: %j',
    (input) => {
      const call: ConversationEvent = { type: 'tool.called', ...of, ...callOf('a'), input };
      expect(after(stepped(1), call)).toEqual({
        kind: 'run_tools',
        calls: [{ ...callOf('a'), input, ...unreturned }],
      });
      const consent: ConversationEvent = { type: 'tool.called', ...of, ...transferOf('x'), input };
      const open: ConversationEvent = { ...opened('x'), input } as ConversationEvent; // reason: it is an opened approval
      expect(progress(stepped(1), consent, open).steps[0]?.calls[0]?.approval).toMatchObject({ input });
    },
  );

  it('is a call without its input, where the words are gone', () => {
    const call: ConversationEvent = { type: 'tool.called', ...of, ...callOf('a'), input: erased };
    expect(progress(stepped(1), call).steps[0]?.calls[0]?.input).toBeNull();
  });

  it('is told of calls that a lost worker may have made', () => {
    const lost = after(claimed, stepped(1), called('a'), { ...claimed, attempt: 2 });
    expect(lost).toEqual({ kind: 'run_tools', calls: [{ ...callOf('a'), ...unreturned, cutOff: true }] });
  });

  it('tells no call as made by a lost worker before it was asked for, or when it was denied', () => {
    const again: ConversationEvent = { ...claimed, attempt: 2 };
    const late: ConversationEvent = { ...claimed, segment: 2 };
    const askedLate = [claimed, stepped(1), transfer('x'), again, opened('x'), suspended];
    const cutOff = (...events: ConversationEvent[]) => progress(...askedLate, ...events).steps[0]?.calls[0]?.cutOff;
    expect(cutOff(decided('x', 'approved'), resumed, late)).toBe(false);
    expect(cutOff(decided('x', 'approved'), resumed, late, { ...late, attempt: 2 })).toBe(true);
    expect(cutOff(decided('x', 'denied'), resumed, late, { ...late, attempt: 2 })).toBe(false);
  });

  it('is the model once more where an answer did not do, for which it has one attempt', () => {
    expect(after(stepped(1), said)).toEqual({ kind: 'ask_model', repairing: true });
  });

  it('is the model, asked as before, where a worker left its answer in the middle', () => {
    const left: ConversationEvent[] = [stepped(1), { ...said, truncated: true }, { ...claimed, attempt: 2 }];
    for (const events of [left, [stepped(1), { ...claimed, attempt: 2 }]]) {
      expect(after(claimed, ...events)).toEqual({ kind: 'ask_model', repairing: false });
      expect(progress(claimed, ...events)).toMatchObject({ steps: [], segmentCostMicroCents: 10 });
    }
    expect(after(claimed, stepped(1), said, ...left)).toEqual({ kind: 'ask_model', repairing: true });
  });

  it('is the end when the steps are used up', () => {
    const action = after(stepped(1), called('a'), returned('a'), stepped(2), called('b'), returned('b'));
    expect(action).toMatchObject({ kind: 'end', end: { status: 'failed', failure: { reason: 'step_limit' } } });
  });

  it('is the end when it is to stop, before anything else', () => {
    for (const events of [[], [stepped(1), called('a')], [stepped(1), stepped(2)]]) {
      expect(after(...events, stopping)).toMatchObject({ kind: 'end', end: { status: 'aborted', failure: null } });
    }
  });
});

describe('a run with calls that need consent', () => {
  it('lets everything else of the step return first, then asks for all of them at once', () => {
    const events = [stepped(1), transfer('x'), called('a'), transfer('y')];
    expect(after(...events)).toEqual(open('a'));
    const calls = ['x', 'y'].map((id) => ({ ...transferOf(id), ...unreturned }));
    expect(after(...events, returned('a'))).toEqual({ kind: 'ask_consent', calls });
    expect(after(...events, returned('a'), returned('x'))).toEqual({ kind: 'ask_consent', calls: calls.slice(1) });
  });

  it('waits while a decision is pending, and runs what was decided when none is', () => {
    const events = [stepped(1), transfer('x'), transfer('y'), opened('x'), opened('y'), suspended];
    expect(after(...events)).toEqual({ kind: 'wait' });
    expect(after(...events, decided('x', 'approved'))).toEqual({ kind: 'wait' });
    const approvals = { x: 'approved', y: 'denied' } as const;
    const calls = (['x', 'y'] as const).map((id) => ({
      ...transferOf(id),
      approval: {
        approvalId: `${id}?`,
        ...asked,
        status: approvals[id],
        denialReason: id === 'y' ? 'no' : null,
        decidedBy: 'user',
      },
      cutOff: false,
      returned: null,
    }));
    const both = [...events, decided('x', 'approved'), decided('y', 'denied'), resumed];
    expect(after(...both)).toEqual({ kind: 'run_tools', calls });
    expect(progress(...both)).toMatchObject({ resumedAt: at, segmentCostMicroCents: 0 });
    expect(after(...both, returned('x'), returned('y'))).toEqual({ kind: 'ask_model', repairing: false });
  });
});

describe('the progress of a run', () => {
  it('is what its events tell', () => {
    expect(progress(claimed, stepped(1), called('a'), returned('a'), stepped(2), said, ended)).toEqual({
      input: 'hello',
      profile: { ...resolved, instructions: null, outputSchema: null },
      automationId: null,
      stopping: false,
      segmentCostMicroCents: 20,
      claimedSegment: 1,
      resumedAt: null,
      steps: [
        {
          heard: [],
          text: null,
          isWhole: false,
          calls: [{ ...callOf('a'), ...unreturned, returned: { outcome: 'ok', result: 12 } }],
        },
        { heard: [], text: 'hi', isWhole: true, calls: [] },
      ],
      unheard: [],
    });
  });

  it('has what the user said meanwhile, before the step that read it', () => {
    const steered = (text: string): ConversationEvent => ({
      type: 'run.steered',
      ...of,
      messageId: asId<MessageId>(text),
      input: { text },
      ownRunId: asId<RunId>(text),
      ownRunKey: asId<RunKey>(text),
    });
    const heardOne = { ...stepped(2), heard: 1 } as ConversationEvent;
    const after = progress(claimed, stepped(1), said, steered('b'), steered('c'), heardOne);
    expect(after.steps.map(({ heard }) => heard)).toEqual([[], ['b']]);
    expect(after.unheard).toEqual(['c']);
    // The second claim drops an answer that was broken off, and what it had read is read again.
    expect(progressAfter(after, claimed)).toMatchObject({ steps: [{ text: 'hi' }], unheard: ['b', 'c'] });
    expect(next(progress(claimed, stepped(1), said, steered('b')), () => false)).toEqual({
      kind: 'ask_model',
      repairing: false,
    });
  });

  it('is not moved by what says nothing about the run', () => {
    const before = progress(stepped(1));
    const life: ConversationEvent[] = [
      { type: 'conversation.updated', at, title: 'new' },
      { type: 'conversation.archived', at },
    ];
    for (const event of [...life, ended]) expect(progressAfter(before, event)).toBe(before);
  });
});
