import type { ConversationEvent, RunRequest } from '@app/conversations';
import { asId, type MessageId, type RunId, type RunKey, type ToolCallId, type UserId } from '@app/kernel';
import { instant } from '../../../test/support/decider-spec';
import { failedEnd, next, progressAfter, startedProgress, type NextAction } from './next';

const at = instant('2026-03-01T10:00Z');
const of = { at, runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const usage = { inputTokens: 1, outputTokens: 1, costCents: 1 };
const request: RunRequest = {
  input: { text: 'hello', artifactIds: [] },
  profile: { model: 'parley/rules', instructions: null, tools: [], maxSteps: 2, outputSchema: null },
};

const claimed: ConversationEvent = { type: 'run.claimed', ...of, segment: 1, attempt: 1 };
const stopping: ConversationEvent = { type: 'run.stopping', ...of };
const stepped = (step: number): ConversationEvent => ({ type: 'agent.step', ...of, step, usage, costMicroCents: 10 });
const said: ConversationEvent = { type: 'agent.message', ...of, messageId: asId<MessageId>('m'), text: 'hi' };
const callOf = (id: string) => ({ toolCallId: asId<ToolCallId>(id), tool: 'clock', input: { zone: 'UTC' } });
const called = (id: string): ConversationEvent => ({ type: 'tool.called', ...of, ...callOf(id) });
const returned = (id: string): ConversationEvent => ({
  ...{ type: 'tool.returned', ...of, toolCallId: asId<ToolCallId>(id), outcome: 'ok', result: 12 },
});
const ended: ConversationEvent = {
  ...{ type: 'run.ended', ...of, status: 'aborted', response: null, output: null, failure: null, usage },
  ...{ userId: asId<UserId>('ada'), segment: 1, segmentCostCents: 1 },
};

const progress = (...events: ConversationEvent[]) => events.reduce(progressAfter, startedProgress(request));
const after = (...events: ConversationEvent[]): NextAction => next(progress(...events));
const open = (...ids: string[]) => ({ kind: 'run_tools', calls: ids.map((id) => ({ ...callOf(id), returned: null })) });

describe('what is next for a run', () => {
  it('is the model, as long as there are steps left', () => {
    expect(after()).toEqual({ kind: 'ask_model' });
    expect(after(claimed)).toEqual({ kind: 'ask_model' });
    expect(after(stepped(1), called('a'), returned('a'))).toEqual({ kind: 'ask_model' });
  });

  it('is whatever the model called and has not returned, also after another claim', () => {
    expect(after(stepped(1), called('a'), called('b'))).toEqual(open('a', 'b'));
    expect(after(stepped(1), called('a'), called('b'), returned('a'), claimed)).toEqual(open('b'));
    expect(after(stepped(1), stepped(2), called('a'))).toEqual(open('a'));
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

describe('the progress of a run', () => {
  it('is what its events tell', () => {
    expect(progress(claimed, stepped(1), called('a'), returned('a'), stepped(2), said, ended)).toEqual({
      ...{ request, stopping: false, steps: 2, segmentCostMicroCents: 20, said: 'hi' },
      calls: [{ ...callOf('a'), returned: { outcome: 'ok', result: 12 } }],
    });
  });

  it('is not moved by what says nothing about the run', () => {
    const before = progress(stepped(1));
    const life: ConversationEvent[] = [
      { type: 'conversation.updated', at, title: 'new' },
      { type: 'conversation.archived', at },
    ];
    for (const event of [...life, claimed, ended]) expect(progressAfter(before, event)).toBe(before);
  });
});

it('a failed end has no answer', () => {
  expect(failedEnd('engine_error', 'No.')).toEqual({
    ...{ status: 'failed', response: null, output: null, failure: { reason: 'engine_error', text: 'No.' } },
  });
});
