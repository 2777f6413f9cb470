import { untuned } from './run/run.schema';
import type { Recorded } from '@app/event-store';
import { asId, type MessageId, type RequestId, type RunId, type RunKey, type UserId } from '@app/kernel';
import type { Projection, ReadModelRow } from '@app/read-store';
import { instant } from '@app/testing/deciders';
import { conversationsProjection, messagesProjection, supersededPartsProjection } from './conversations.projection';
import type { ConversationEvent } from './conversation.events';

const conversationId = '0190a000-0000-7000-8000-00000000c0de';
const userId = asId<UserId>('0190a000-0000-7000-8000-00000000ada0');
const at = (minute: number) => instant(`2026-03-01T10:0${minute}Z`);
const of = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costCents: 1, estimated: false };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };

const events: ConversationEvent[] = [
  {
    type: 'conversation.created',
    at: at(0),
    title: null,
    origin: 'conversation',
    automationId: null,
    userId,
  } as const,
  {
    type: 'run.started',
    at: at(1),
    ...of,
    origin: 'user',
    automationId: null,
    occurrenceId: null,
    userId,
    messageId: asId<MessageId>('asked'),
    request: { input: { text: 'hello' } },
    resolved,
    agentInstructions: null,
    holder: null,
    queuedAt: null,
  },
  { type: 'run.claimed', at: at(2), ...of, segment: 1, attempt: 1 },
  { type: 'agent.message', at: at(3), ...of, messageId: asId<MessageId>('said'), text: 'hi', truncated: false },
  { type: 'conversation.updated', at: at(4), title: 'Plans' },
  {
    type: 'run.ended',
    at: at(5),
    ...of,
    status: 'completed',
    response: { text: 'hi', truncated: false },
    output: null,
    failure: null,
    usage,
    userId,
    segment: 1,
    segmentCostCents: 1,
  },
  { type: 'conversation.archived', at: at(6) },
];

const recorded = events.map((event, revision): Recorded<ConversationEvent> => {
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
    position: 10 * revision,
    id: type,
    type,
    payload: {},
    metadata,
    event,
  };
});

/** The rows by key after these events, as the runner would build them. */
function project<Row extends ReadModelRow>(projection: Projection<Row, ConversationEvent>, upTo = recorded.length) {
  const rows: Record<string, Row> = {};
  for (const each of recorded.slice(0, upTo)) {
    const key = projection.keyOf(each);
    const next = key === null ? null : projection.project(rows[key] ?? null, each);
    if (key !== null && next !== null) rows[key] = { ...next, position: each.position };
  }
  return rows;
}

describe('the conversations that lists show', () => {
  const after = (count: number) => project(conversationsProjection, count)[conversationId];

  it('are active from the start of a run to its end', () => {
    expect([1, 2, 5, 6].map((count) => after(count)?.liveRunId)).toEqual([null, 'run', 'run', null]);
  });

  it('move in the order of activity with every event but renaming and archiving', () => {
    expect([1, 4, 5, 6, 7].map((count) => after(count)?.activityPosition)).toEqual([0, 30, 30, 50, 50]);
    expect([1, 4, 5, 6, 7].map((count) => after(count)?.lastActivityAt)).toEqual([at(0), at(3), at(3), at(5), at(5)]);
  });

  it('say everything that is listed', () => {
    expect(after(7)).toEqual({
      id: conversationId,
      userId,
      title: 'Plans',
      origin: 'conversation',
      automationId: null,
      liveRunId: null,
      queuedRunIds: [],
      pendingApprovals: 0,
      lastSeq: 7,
      createdAt: at(0),
      lastActivityAt: at(5),
      archivedAt: at(6),
      activityPosition: 50,
      position: 60,
    });
  });

  it('count in exactly one counter, by what they are filtered by', () => {
    const counted = [1, 2, 6, 7].map((count) => {
      const row = after(count);
      return row && conversationsProjection.counters?.(row);
    });
    const name = (state: string) => [`${userId}/conversation/${state}`];
    expect(counted).toEqual(['present/resting', 'present/active', 'present/resting', 'archived/resting'].map(name));
  });

  it('do not appear for events of a conversation that was never created', () => {
    const later = recorded.at(-1);
    expect(later && conversationsProjection.project(null, later)).toBeNull();
  });
});

describe('the messages of a conversation', () => {
  it('are what the user asked and what the agent said', () => {
    const said = { conversationId, runId: 'run' };
    expect(Object.values(project(messagesProjection))).toEqual([
      {
        ...said,
        id: 'asked',
        seq: 2,
        role: 'user',
        text: { input: { text: 'hello' } },
        createdAt: at(1),
        position: 10,
      },
      { ...said, id: 'said', seq: 4, role: 'assistant', text: 'hi', createdAt: at(3), position: 30 },
    ]);
  });
});

describe('the parts that left the line', () => {
  it('reach from the replaced message to the event that says so, however often that is read', () => {
    const event: ConversationEvent = {
      type: 'message.superseded',
      at: at(7),
      messageId: asId<MessageId>('asked'),
      fromSeq: 2,
      runId: asId<RunId>('instead'),
    };
    const [first] = recorded;
    if (first === undefined) throw new Error('there is a first event');
    const replaced: Recorded<ConversationEvent> = { ...first, revision: 7, position: 70, event };
    const row = supersededPartsProjection.project(null, replaced);
    expect(row).toEqual({ messageId: 'asked', conversationId, fromSeq: 2, beforeSeq: 8, position: 70 });
    expect(supersededPartsProjection.project(row, replaced)).toEqual(row);
    expect(supersededPartsProjection.keyOf(replaced)).toBe('asked');
    expect(recorded.map((each) => supersededPartsProjection.keyOf(each))).toEqual(recorded.map(() => null));
  });
});
