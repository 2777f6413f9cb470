import { interruptOf, threadOf, toAgUiEvents, translate, type AgUiEvent, type Thread } from '@parley/client/ag-ui';

type Frame = Parameters<typeof translate>[1];

const at = '2026-01-01T00:00:00.000Z';
const runId = '019a0000-0000-7000-8000-000000000001';
const call = `${runId}/1/0`;
const operationId = '019a0000-0000-7000-8000-00000000000a';
const approvalId = '019a0000-0000-7000-8000-00000000000b';

// Reason for the assertions: an event in a test has only the members that the test is about.
const durable = (seq: number, payload: object): Frame =>
  ({ delivery: 'durable', seq, requestId: 'request-1', payload: { at, ...payload } }) as Frame;
const live = (messageId: string, text: string, type = 'agent.text_delta'): Frame =>
  ({ delivery: 'live', payload: { type, at, runId, messageId, text } }) as Frame;

const started = durable(1, { type: 'run.started', runId, request: { input: { text: 'hello' } } });
const message = (seq: number, text: string, messageId = 'm'): Frame =>
  durable(seq, { type: 'agent.message', runId, messageId, text, truncated: false });
const ended = (seq: number): Frame => durable(seq, { type: 'run.ended', runId, status: 'completed', failure: null });

/** The thread and all events that result from these frames. */
function given(frames: readonly Frame[], thread: Thread = threadOf()): { thread: Thread; events: AgUiEvent[] } {
  const events: AgUiEvent[] = [];
  for (const frame of frames) {
    const step = translate(thread, frame);
    events.push(...step.events);
    thread = step.thread;
  }
  return { thread, events };
}

/** The events as `TYPE text`, without the cursor that follows each durable frame. */
const briefly = (events: readonly AgUiEvent[]) =>
  events
    .filter(({ type }) => type !== 'STATE_DELTA')
    .map((event) =>
      'delta' in event && typeof event.delta === 'string' ? `${event.type} ${event.delta}` : event.type,
    );

describe('the journal as AG-UI events', () => {
  it('shows words as they come, and of the recorded text only what is missing', () => {
    const { events, thread } = given([
      started,
      live('m', 'one '),
      live('m', 'two '),
      message(2, 'one two three'),
      ended(3),
    ]);
    expect(briefly(events)).toEqual([
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT hello',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT one ',
      'TEXT_MESSAGE_CONTENT two ',
      'TEXT_MESSAGE_CONTENT three',
      'TEXT_MESSAGE_END',
    ]);
    expect(thread.messages.at(-1)).toMatchObject({ content: 'one two three', metadata: { parley: { seq: 2 } } });
  });

  it('puts a message right of which live words were lost', () => {
    const { events, thread } = given([started, live('m', 'one '), live('m', 'three'), message(2, 'one two three')]);
    expect(briefly(events).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'MESSAGES_SNAPSHOT']);
    expect(events.at(-2)).toMatchObject({ messages: [{ content: 'hello' }, { content: 'one two three' }] });
    expect(thread.speaking.size).toBe(0);
  });

  it('drops words that come after the message was recorded', () => {
    expect(given([started, message(2, 'one'), live('m', 'one')]).thread.messages.at(-1)).toMatchObject({
      content: 'one',
    });
  });

  it('waits for the recorded text of what was begun before anybody listened, and shows the next message word by word', () => {
    const joined = { ...given([started]).thread, liveRunId: runId, missedRunId: runId };
    const { events } = given([live('m', 'two'), message(2, 'one two'), live('n', 'three')], joined);
    expect(briefly(events)).toEqual([
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT one two',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT three',
    ]);
  });

  it('takes back what a worker said that is gone, and whose step another one does again', () => {
    const claimed = durable(2, { type: 'run.claimed', runId, segment: 1, attempt: 2 });
    const { events, thread } = given([
      started,
      live('m', 'one'),
      claimed,
      live('n', 'one two'),
      message(3, 'one two', 'n'),
    ]);
    expect(thread.messages.map(({ id }) => id)).toEqual([runId, 'n']);
    expect(events).toContainEqual({
      type: 'MESSAGES_SNAPSHOT',
      messages: [{ id: runId, role: 'user', content: 'hello' }],
    });
  });

  it('shows reasoning of its own, before the text', () => {
    const reasoning = durable(2, { type: 'agent.reasoning', runId, messageId: 'r', text: 'hm, yes', truncated: true });
    const { events, thread } = given([
      started,
      live('r', 'hm, ', 'agent.reasoning_delta'),
      reasoning,
      message(3, 'one'),
    ]);
    expect(briefly(events).slice(3, 9)).toEqual([
      'REASONING_START',
      'REASONING_MESSAGE_START',
      'REASONING_MESSAGE_CONTENT hm, ',
      'REASONING_MESSAGE_CONTENT yes',
      'REASONING_MESSAGE_END',
      'REASONING_END',
    ]);
    expect(thread.messages[1]).toMatchObject({ role: 'reasoning', metadata: { parley: { seq: 2, truncated: true } } });
  });

  it('shows tool calls with their input and their results', () => {
    const input = { text: 'a' };
    const { events, thread } = given([
      durable(1, { type: 'tool.called', runId, toolCallId: call, tool: 'orders', input }),
      durable(2, { type: 'tool.returned', runId, toolCallId: call, outcome: 'error', result: { text: 'no' } }),
    ]);
    expect(events.filter(({ type }) => type !== 'STATE_DELTA')).toEqual([
      { type: 'TOOL_CALL_START', toolCallId: call, toolCallName: 'orders' },
      { type: 'TOOL_CALL_ARGS', toolCallId: call, delta: '{"text":"a"}' },
      { type: 'TOOL_CALL_END', toolCallId: call },
      {
        type: 'TOOL_CALL_RESULT',
        messageId: `${call}/result`,
        toolCallId: call,
        role: 'tool',
        content: '{"text":"no"}',
        metadata: { parley: { outcome: 'error' } },
      },
    ]);
    expect(thread.messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('tells of money by custom events, and keeps what became of it in the state', () => {
    const { events, thread } = given([
      durable(1, { type: 'operation.submitted', operationId, runId, approvalId }),
      durable(2, { type: 'settlement.updated', operationId, status: 'settled', actions: [], failure: null }),
    ]);
    const settled = { status: 'settled', submittedAt: at, runId, approvalId, actions: [], failure: null };
    expect(events.slice(2)).toEqual([
      {
        type: 'CUSTOM',
        name: 'parley.settlement.updated',
        value: expect.objectContaining({ seq: 2, status: 'settled' }),
      },
      {
        type: 'STATE_DELTA',
        delta: [
          { op: 'replace', path: '/parley/cursor', value: 2 },
          { op: 'add', path: `/parley/operations/${operationId}`, value: settled },
        ],
      },
    ]);
    expect(thread.operations).toEqual({ [operationId]: settled });
  });

  it('knows of money on its way by what the call returned, which the journal may tell of after the end of the run', () => {
    const returnedBy = (tool: string) =>
      given([
        durable(1, { type: 'tool.called', runId, toolCallId: call, tool, input: {} }),
        durable(2, {
          type: 'tool.returned',
          runId,
          toolCallId: call,
          outcome: 'ok',
          result: { operationId, status: 'submitted' },
        }),
      ]).thread;
    const known = { status: 'submitted', submittedAt: at, runId, approvalId: null, actions: [], failure: null };
    const transferred = returnedBy('intents_transfer');
    expect(transferred.operations).toEqual({ [operationId]: known });
    const told = durable(3, { type: 'operation.submitted', operationId, runId, approvalId });
    expect(translate(transferred, told).thread.operations).toEqual({ [operationId]: { ...known, approvalId } });
    expect(returnedBy('orders_transfer').operations).toEqual({});
  });

  it('goes on after any event at which a client was cut off, and comes to the same', () => {
    const frames = [
      started,
      live('m', 'one '),
      message(2, 'one two'),
      durable(3, { type: 'tool.called', runId, toolCallId: call, tool: 'orders', input: {} }),
      durable(4, { type: 'tool.returned', runId, toolCallId: call, outcome: 'ok', result: [] }),
      live('n', 'three'),
      message(5, 'three four', 'n'),
      ended(6),
    ];
    const whole = given(frames).thread;
    for (let cut = 0; cut < frames.length; cut += 1) {
      const { cursor, messages, operations } = given(frames.slice(0, cut)).thread;
      const again = threadOf({ cursor, messages, operations });
      expect(
        given(
          frames.filter(({ delivery }) => delivery === 'durable'),
          again,
        ).thread,
      ).toEqual(whole);
    }
  });

  it('knows which approvals are open, and whether a run is live', () => {
    const opened = durable(2, { type: 'approval.opened', approvalId, runId });
    const suspended = durable(3, { type: 'run.suspended', runId, segment: 1, approvalIds: [approvalId] });
    const asking = given([started, opened, suspended]).thread;
    expect([[...asking.pending], asking.liveRunId]).toEqual([[approvalId], null]);
    const resumed = durable(5, { type: 'run.resumed', runId, segment: 2, approvalIds: [approvalId] });
    const decided = given([durable(4, { type: 'approval.decided', approvalId }), resumed], asking).thread;
    expect([[...decided.pending], decided.liveRunId]).toEqual([[], runId]);
  });

  it('passes over events that it does not know', () => {
    const { events, thread } = given([durable(1, { type: 'run.invented_later', runId })]);
    expect([briefly(events), thread.cursor, thread.messages]).toEqual([[], 1, []]);
  });

  it('is read from a stream as well', async () => {
    async function* frames() {
      yield* [started, live('m', 'one'), message(2, 'one')];
    }
    const events: AgUiEvent[] = [];
    for await (const event of toAgUiEvents(frames())) events.push(event);
    expect(events).toEqual(given([started, live('m', 'one'), message(2, 'one')]).events);
  });
});

describe('the progress of a tool call', () => {
  const progress = (count: number): Frame => {
    const counts = { progress: count, total: 3, message: 'on it' };
    return { delivery: 'live', payload: { type: 'agent.tool_progress', at, runId, toolCallId: call, ...counts } };
  };
  const called = durable(2, { type: 'tool.called', runId, toolCallId: call, tool: 'web_work', input: {} });
  const returned = durable(3, { type: 'tool.returned', runId, toolCallId: call, outcome: 'ok', result: 'done' });

  it('is a custom event until the call returns, and changes nothing that the client has', () => {
    const { events, thread } = given([started, progress(0), called, progress(1), returned, progress(2)]);
    expect(events.filter(({ type }) => type === 'CUSTOM')).toEqual(
      [0, 1].map((count) => ({
        type: 'CUSTOM',
        name: 'parley.agent.tool_progress',
        value: {
          type: 'agent.tool_progress',
          at,
          runId,
          toolCallId: call,
          progress: count,
          total: 3,
          message: 'on it',
        },
      })),
    );
    expect(thread).toEqual(given([started, called, returned]).thread);
  });

  it('and live frames of a newer service are not taken for words', () => {
    const { thread } = given([started]);
    const newer = { delivery: 'live', payload: { type: 'agent.hum', at, runId } } as unknown as Frame; // reason: none of this version
    expect(translate(thread, newer)).toEqual({ thread, events: [] });
  });
});

describe('an approval as an interrupt', () => {
  it('has its summary, its terms, its expiry, and a schema that only its own fingerprint satisfies', () => {
    const terms = [{ name: 'what', text: '1 USDC' }];
    const approval = {
      id: approvalId,
      summary: 'Withdraw 1 USDC.',
      toolCallId: call,
      expiresAt: at,
      tool: 'intents_transfer',
      terms,
      contract: null,
      input: {},
      fingerprint: 'sha256:1',
    };
    // Reason for the assertion: an approval has more members, which an interrupt does not show.
    expect(interruptOf(approval as unknown as Parameters<typeof interruptOf>[0])).toMatchObject({
      id: approvalId,
      reason: 'tool_call',
      message: 'Withdraw 1 USDC.',
      toolCallId: call,
      expiresAt: at,
      responseSchema: { properties: { fingerprint: { const: 'sha256:1' } }, required: ['approved', 'fingerprint'] },
      metadata: { parley: { terms, fingerprint: 'sha256:1' } },
    });
  });
});
