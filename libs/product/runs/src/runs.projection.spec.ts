import { type ConversationEvent, untuned } from '@app/conversations';
import type { Recorded } from '@app/event-store';
import {
  asId,
  type MessageId,
  type RequestId,
  type ProcessId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { runsProjection, type RunRow } from './runs.projection';

const conversationId = '0190a000-0000-7000-8000-00000000c0de';
const userId = asId<UserId>('0190a000-0000-7000-8000-00000000ada0');
const at = (minute: number) => instant(`2026-03-01T10:0${minute}Z`);
const of = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const request = { input: { text: 'hello' }, profile: { maxSteps: 16 } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
const toolCallId = asId<ToolCallId>('run/1/0');

const started: ConversationEvent = {
  type: 'run.started',
  at: at(1),
  ...of,
  origin: 'user',
  automationId: null,
  occurrenceId: null,
  userId,
  messageId: asId<MessageId>('asked'),
  request,
  resolved,
  agentInstructions: null,
  holder: null,
  queuedAt: null,
};
const claimed = (minute: number): ConversationEvent => ({
  type: 'run.claimed',
  at: at(minute),
  ...of,
  segment: 1,
  attempt: minute,
});
const step = (minute: number): ConversationEvent => ({
  type: 'agent.step',
  at: at(minute),
  ...of,
  step: minute,
  model: 'scripted',
  costMicroCents: 5,
  heard: 0,
  usage: { inputTokens: 3, cachedInputTokens: 0, outputTokens: 4, costCents: 1, estimated: false },
});
const called: ConversationEvent = { type: 'tool.called', at: at(3), ...of, toolCallId, tool: 'clock', input: {} };
const stopping: ConversationEvent = { type: 'run.stopping', at: at(5), ...of };
const ended = (status: 'completed' | 'aborted'): ConversationEvent => ({
  type: 'run.ended',
  at: at(6),
  ...of,
  status,
  userId,
  segment: 1,
  segmentCostCents: 2,
  response: status === 'completed' ? { text: 'hi', truncated: false } : null,
  output: { n: 1 },
  failure: null,
  usage: { inputTokens: 6, cachedInputTokens: 0, outputTokens: 8, costCents: 2, estimated: false },
});

function recordedAt(event: ConversationEvent, revision: number): Recorded<ConversationEvent> {
  const requestId = asId<RequestId>('request');
  const metadata = {
    $correlationId: 'c',
    $causationId: 'c',
    requestId,
    actor: { kind: 'service', id: 'test' } as const,
  };
  const { type } = event;
  return {
    stream: `conversation-${conversationId}`,
    revision,
    position: 100 + revision,
    id: type,
    type,
    payload: {},
    metadata,
    event,
  };
}

function rowAfter(...events: ConversationEvent[]): RunRow | null {
  return events.reduce<RunRow | null>(
    (row, event, index) => runsProjection.project(row, recordedAt(event, index + 1)),
    null,
  );
}

describe('the runs that lists show', () => {
  it('start as queued', () => {
    expect(rowAfter(started)).toEqual({
      runKey: 'key',
      id: 'run',
      userId,
      conversationId,
      origin: 'user',
      automationId: null,
      occurrenceId: null,
      request,
      resolved,
      response: null,
      output: null,
      status: 'queued',
      segment: 1,
      pendingApprovalIds: [],
      failure: null,
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: 0,
      costCents: 0,
      usageEstimated: false,
      createdAt: at(1),
      startedAt: null,
      endedAt: null,
      startedSeq: 2,
      openedPosition: 101,
      position: 101,
    });
  });

  it('start to run at their first claim, and add up their steps', () => {
    const row = rowAfter(started, claimed(2), step(1), called, claimed(4), step(2));
    expect(row).toMatchObject({
      status: 'running',
      startedAt: at(2),
      inputTokens: 6,
      outputTokens: 8,
      costCents: 2,
      usageEstimated: false,
    });
  });

  it('stay stopping, no matter which process claims them', () => {
    expect(rowAfter(started, claimed(2), stopping, claimed(6))).toMatchObject({ status: 'stopping' });
  });

  it('end with what came of them', () => {
    expect(rowAfter(started, claimed(2), step(1), step(2), ended('completed'))).toMatchObject({
      status: 'completed',
      response: { text: 'hi', truncated: false },
      output: { n: 1 },
      endedAt: at(6),
      costCents: 2,
      openedPosition: 101,
    });
    expect(rowAfter(started, ended('aborted'))).toMatchObject({ status: 'aborted', startedAt: null, response: null });
  });

  it('count for their user, and for their conversation', () => {
    const row = rowAfter(started);
    expect(row && runsProjection.counters?.(row)).toEqual([userId, `${userId}/${conversationId}`]);
  });

  it('run from the start, and from a resumption, where these name who executes them', () => {
    const holder = asId<ProcessId>('process');
    const held = rowAfter({ ...started, holder });
    expect(held).toMatchObject({ status: 'running', startedAt: at(1) });
    const resumed = { type: 'run.resumed', at: at(5), ...of, segment: 2, approvalIds: [], holder } as const;
    expect(rowAfter({ ...started, holder }, resumed)).toMatchObject({
      status: 'running',
      segment: 2,
      startedAt: at(1),
    });
    expect(rowAfter(started, claimed(2), { ...resumed, holder: null })).toMatchObject({ status: 'queued', segment: 2 });
  });

  it('are not touched by what is no run’s', () => {
    const renamed = recordedAt({ type: 'conversation.updated', at: at(1), title: 'x' }, 1);
    expect(runsProjection.keyOf(renamed)).toBeNull();
    expect(runsProjection.keyOf(recordedAt(stopping, 1))).toBe('key');
    expect(rowAfter(stopping)).toBeNull();
  });
});
