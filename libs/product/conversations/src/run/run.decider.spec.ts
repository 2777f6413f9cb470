import {
  asId,
  type MessageId,
  type ProcessId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { conversationDecider, type ConversationCommand } from '../conversation.decider';
import type { ConversationEvent } from '../conversation.events';
import { type RunRequest, type Usage, untuned } from './run.schema';
import type { RecordStep } from './run.decider';
import { microCentsPerCent } from './run-costs';
import { abortedEnd, type RunEnd } from './run-facts';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('ada');
const run = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const { runId } = run;
const request: RunRequest = { input: { text: 'hello' }, profile: { model: 'parley/rules' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
const messageId = asId<MessageId>('message');
const toolCallId = asId<ToolCallId>('run/1/0');
const none: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };

const origin = { automationId: null } as const;
const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: null,
  origin: 'conversation',
  ...origin,
};
const started: ConversationEvent = {
  type: 'run.started',
  at,
  ...run,
  userId,
  messageId,
  origin: 'user',
  ...origin,
  occurrenceId: null,
  request,
  resolved,
  agentInstructions: null,
  holder: null,
  queuedAt: null,
};
const claimed = (attempt = 1): ConversationEvent => ({ type: 'run.claimed', at, ...run, segment: 1, attempt });
const stopping: ConversationEvent = { type: 'run.stopping', at, ...run };
const called: ConversationEvent = { type: 'tool.called', at, ...run, toolCallId, tool: 'clock', input: {} };
const returned: ConversationEvent = { type: 'tool.returned', at, ...run, toolCallId, outcome: 'ok', result: 7 };
const stepped = (step: number, costMicroCents: number, costCents: number): ConversationEvent => ({
  type: 'agent.step',
  at,
  ...run,
  step,
  model: 'scripted',
  usage: { inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costCents, estimated: false },
  costMicroCents,
  heard: 0,
});
const said: ConversationEvent = { type: 'agent.message', at, ...run, messageId, text: 'hi', truncated: false };
const ended = (end: RunEnd, usage: Usage, segmentCostCents = usage.costCents): ConversationEvent => ({
  type: 'run.ended',
  at,
  ...run,
  ...end,
  userId,
  usage,
  segment: 1,
  segmentCostCents,
});

const claim: ConversationCommand = { type: 'ClaimRun', at, runId, segment: 1 };
const stop: ConversationCommand = { type: 'StopRun', at, runId };
const completed: RunEnd = {
  status: 'completed',
  response: { text: 'hi', truncated: false },
  output: null,
  failure: null,
};
const finish = (end: RunEnd, attempt = 1): ConversationCommand => ({ type: 'EndRun', at, runId, attempt, end });
const returns = (attempt = 1): ConversationCommand => ({
  type: 'ReturnTool',
  at,
  runId,
  attempt,
  toolCallId,
  outcome: 'ok',
  result: 7,
});
const step = (more: Partial<RecordStep> = {}): ConversationCommand => ({
  type: 'RecordStep',
  at,
  runId,
  attempt: 1,
  model: 'scripted',
  inputTokens: 2,
  cachedInputTokens: 0,
  outputTokens: 3,
  costMicroCents: microCentsPerCent,
  heard: 0,
  estimated: false,
  reasoning: null,
  message: null,
  calls: [],
  returned: [],
  end: null,
  ...more,
});

const conversation = specification(conversationDecider);
const queued = conversation.given(created, started);
const running = conversation.given(created, started, claimed());
const stopped = conversation.given(created, started, claimed(), stopping);

describe('a segment that begins in the process that executes it', () => {
  const begun = { ...started, holder: asId<ProcessId>('process') };
  const held = conversation.given(created, begun);

  it('runs from its begin on, under the first attempt', () => {
    expect(held.state.openRuns).toMatchObject({ run: { status: 'running', attempt: 1 } });
    held.when(returns()).then();
    held.when(finish(completed)).then(ended(completed, none));
  });
  it('is fenced by a claim', () => {
    held.when(claim).then(claimed(2));
    for (const late of [finish(completed), step(), returns()])
      conversation.given(created, begun, claimed(2)).when(late).thenRefused('run_not_active');
  });
});

describe('a step whose call has returned already', () => {
  const calls = [{ toolCallId, tool: 'clock', input: {} }];
  const more = { calls, returned: [{ toolCallId, outcome: 'ok', result: 7 }] } as const;

  it('is recorded with what it came to', () => {
    running.when(step(more)).then(stepped(1, microCentsPerCent, 1), called, returned);
    expect(conversation.given(created, started, claimed(), called, returned).state.openRuns['run']?.openCalls).toEqual(
      [],
    );
  });
  it('keeps neither where the run is to stop', () => {
    const usage = { inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costCents: 1, estimated: false };
    stopped.when(step(more)).then(stepped(1, microCentsPerCent, 1), ended(abortedEnd, usage));
  });
});

describe('a claim', () => {
  it('sets a queued run going', () => queued.when(claim).then(claimed()));
  it('of a running one fences the process that held it', () => {
    running.when(claim).then(claimed(2));
    const takenOver = conversation.given(created, started, claimed(), claimed(2));
    for (const late of [finish(completed), step(), returns()]) takenOver.when(late).thenRefused('run_not_active');
  });
  it('leaves a stopping one stopping', () => {
    stopped.when(claim).then(claimed(2));
    expect(conversation.given(created, started, claimed(), stopping, claimed(2)).state.openRuns).toMatchObject({
      run: { status: 'stopping', attempt: 2 },
    });
  });
  it('names the present segment', () => queued.when({ ...claim, segment: 2 }).thenRefused('run_not_active'));
});

describe('a stop', () => {
  it('ends a queued run itself', () => queued.when(stop).then(ended(abortedEnd, none)));
  it('tells a running one, once', () => running.when(stop).thenOnce(stopping));
  it('lets the run end in no other way', () => {
    stopped.when(finish(completed)).then(ended(abortedEnd, none));
    const usage = { inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costCents: 1, estimated: true };
    const calls = [{ toolCallId, tool: 'clock', input: {} }];
    const message = { messageId, text: 'hi', truncated: true };
    // Text and usage so far stay, and no further call is made.
    stopped.when(step({ estimated: true, message, calls, end: completed })).then(
      {
        type: 'agent.step',
        at,
        ...run,
        step: 1,
        model: 'scripted',
        usage,
        costMicroCents: microCentsPerCent,
        heard: 0,
      },
      { type: 'agent.message', at, ...run, ...message },
      ended(abortedEnd, usage),
    );
  });
});

describe('a step', () => {
  it('is one append, its call included', () =>
    running
      .when(step({ calls: [{ toolCallId, tool: 'clock', input: {} }] }))
      .then(stepped(1, microCentsPerCent, 1), called));

  it('that is the last ends the run with what was used', () =>
    running
      .when(step({ message: { messageId, text: 'hi', truncated: false }, end: completed }))
      .then(
        stepped(1, microCentsPerCent, 1),
        said,
        ended(completed, { inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costCents: 1, estimated: false }),
      ));

  it('adds to the cost of its segment, which is rounded up once', () => {
    const third = microCentsPerCent / 4;
    const first = conversation.given(created, started, claimed(), stepped(1, third, 1));
    first.when(step({ costMicroCents: third })).then(stepped(2, third, 0));
    const usage = { inputTokens: 4, cachedInputTokens: 0, outputTokens: 6, costCents: 1, estimated: false };
    const second = conversation.given(created, started, claimed(), stepped(1, third, 1), stepped(2, third, 0));
    second.when(finish(completed)).then(ended(completed, usage));
  });
});

describe('a tool call', () => {
  const open = conversation.given(created, started, claimed(), stepped(1, 0, 0), called);
  it('returns once', () => open.when(returns()).thenOnce(returned));
  it('that nobody made does not return', () => running.when(returns()).thenNothing());
  it('that is open when the run ends is closed with it', () => {
    const result = { error: 'the run ended before the tool returned' };
    open
      .when(finish(completed))
      .then({ ...returned, outcome: 'error', result }, ended(completed, { ...none, inputTokens: 2, outputTokens: 3 }));
  });
});

describe('a run that is over, or never was', () => {
  it('takes no command', () => {
    const over = conversation.given(created, started, ended(abortedEnd, none));
    for (const command of [claim, stop, step(), returns(), finish(completed)]) {
      over.when(command).thenRefused('run_not_active');
      conversation.given(created).when(command).thenRefused('run_not_active');
    }
  });
});
