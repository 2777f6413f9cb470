import type { JournalFrame } from '@parley/client';
import {
  initialRun,
  reduce,
  toUIMessages,
  type FrameContext,
  type ParleyUIChunk,
  type RunState,
} from '@parley/client/ai-sdk';
import {
  approvalId,
  callId,
  event,
  fingerprint,
  journal,
  operationId,
  progress,
  runId,
  thoughts,
  words,
} from './frames';

/** The context of an open stream in which every frame is recorded. */
const live: FrameContext = { approvals: new Map(), liveAfter: 0 };

/** The chunks for these frames, without metadata. */
function told(frames: readonly JournalFrame[], context: FrameContext = live): ParleyUIChunk[] {
  return walked(frames, context).chunks.filter(({ type }) => type !== 'message-metadata');
}

function walked(frames: readonly JournalFrame[], context: FrameContext = live) {
  let state: RunState = initialRun(runId);
  const chunks: ParleyUIChunk[] = [];
  for (const frame of frames) {
    const step = reduce(state, frame, context);
    state = step.state;
    chunks.push(...step.chunks);
  }
  return { state, chunks };
}

const begun = [event('run.started')];
const asked = [...begun, event('agent.step'), event('tool.called'), event('approval.opened'), event('run.suspended')];
const step = { type: 'start-step' };
const input = { toolCallId: callId, toolName: 'intents_transfer', input: { contract: 'c' } };
const ours = { dynamic: true, providerExecuted: true };
const inputAvailable = { type: 'tool-input-available', ...input, ...ours };

describe('what is said', () => {
  it('is told word by word, and its recorded message adds only what was not told', () => {
    const chunks = told(journal(...begun, words('hel'), words('l'), event('agent.step'), event('agent.message')));
    expect(chunks.slice(1)).toEqual([
      step,
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hel' },
      { type: 'text-delta', id: 'm', delta: 'l' },
      { type: 'text-delta', id: 'm', delta: 'o' },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('is told once it is recorded, where no word of it was heard', () => {
    const chunks = told(journal(...begun, event('agent.step'), event('agent.message')));
    expect(chunks.slice(1)).toEqual([
      step,
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hello' },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('is not told from its middle: words before which the stream was not open wait for the message', () => {
    const late = { ...live, liveAfter: 1 };
    const chunks = told(journal(...begun, words('lo'), event('agent.step'), event('agent.message')), late);
    expect(chunks.slice(1)).toEqual([
      step,
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hello' },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('is taken back and told whole where a word of it was lost on the way', () => {
    const chunks = told(journal(...begun, words('h'), words('lo'), event('agent.step'), event('agent.message')));
    expect(chunks.slice(-4)).toEqual([
      { type: 'text-end', id: 'm', providerMetadata: { parley: { withdrawn: true } } },
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hello' },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('is taken back where its worker died, and another one says it anew', () => {
    const chunks = told(
      journal(
        ...begun,
        words('lost', 'old'),
        event('run.claimed'),
        words('hello'),
        event('agent.step'),
        event('agent.message'),
      ),
    );
    expect(chunks.slice(3)).toEqual([
      { type: 'text-delta', id: 'old', delta: 'lost' },
      { type: 'text-end', id: 'old', providerMetadata: { parley: { withdrawn: true } } },
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hello' },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('begins a new step after a recorded one', () => {
    const chunks = told(journal(...begun, event('agent.step'), event('agent.message'), words('more', 'n')));
    expect(chunks.slice(-4)).toEqual([
      { type: 'finish-step' },
      step,
      { type: 'text-start', id: 'n' },
      { type: 'text-delta', id: 'n', delta: 'more' },
    ]);
  });
});

describe('what the model thinks', () => {
  it('is told as it comes and as it is recorded, in a part of its own before what it says', () => {
    const frames = journal(
      ...begun,
      thoughts('two and ', 't'),
      thoughts('two', 't'),
      words('fo'),
      event('agent.step'),
      event('agent.reasoning', { text: 'two and two' }),
      event('agent.message', { text: 'four' }),
    );
    expect(told(frames).slice(1)).toEqual([
      step,
      { type: 'reasoning-start', id: 't' },
      { type: 'reasoning-delta', id: 't', delta: 'two and ' },
      { type: 'reasoning-delta', id: 't', delta: 'two' },
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'fo' },
      { type: 'reasoning-end', id: 't' },
      { type: 'text-delta', id: 'm', delta: 'ur' },
      { type: 'text-end', id: 'm' },
    ]);
    expect(toUIMessages(frames)[1]?.parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', id: 't', text: 'two and two', state: 'done' },
      { type: 'text', text: 'four', state: 'done' },
    ]);
  });
});

describe('a tool call', () => {
  const called = [...begun, event('agent.step'), event('tool.called')];

  it('is told with its input, then with what it returned', () => {
    expect(told(journal(...called, event('tool.returned'))).slice(2)).toEqual([
      inputAvailable,
      { type: 'tool-output-available', toolCallId: callId, output: { operationId }, ...ours },
    ]);
  });

  it('is told as an error, in the words of its result', () => {
    const failed = event('tool.returned', { outcome: 'error', result: { text: 'no such token' } });
    expect(told(journal(...called, failed)).at(-1)).toMatchObject({
      type: 'tool-output-error',
      errorText: 'no such token',
    });
  });

  it('that the end of its run cut off is not left open', () => {
    const ended = event('run.ended', { status: 'aborted' });
    expect(told(journal(...called, ended)).at(-1)).toMatchObject({ type: 'tool-output-error', toolCallId: callId });
  });

  it('of another run tells nothing', () => {
    const foreign = event('tool.called', { runId: operationId });
    expect(told(journal(...begun, foreign))).toEqual(told(journal(...begun)));
  });
});

describe('the progress of a tool call', () => {
  const shown = (count: number, message: string | null = null) => ({
    type: 'data-progress',
    id: callId,
    data: { toolCallId: callId, progress: count, total: 3, message },
    transient: true,
  });

  it('is transient: the page is given it, and the message has none of it', () => {
    const frames = journal(
      ...begun,
      event('agent.step'),
      event('tool.called'),
      progress(1, 'Invoice 1 of 3'),
      progress(2),
      event('tool.returned'),
      event('run.ended'),
    );
    expect(told(frames).filter(({ type }) => type === 'data-progress')).toEqual([shown(1, 'Invoice 1 of 3'), shown(2)]);
    const durable = frames.filter(({ delivery }) => delivery === 'durable');
    expect(toUIMessages(frames)).toEqual(toUIMessages(durable));
  });

  it('is given before the call too, and not once it has returned', () => {
    const returned = [...asked.slice(0, 3), event('tool.returned')];
    expect(told(journal(...begun, progress(1))).slice(1)).toEqual([shown(1)]);
    expect(told(journal(...returned, progress(2))).filter(({ type }) => type === 'data-progress')).toEqual([]);
    expect(told(journal(...returned, event('run.ended'), progress(2, null, `${runId}/1/1`))).at(-1)).not.toHaveProperty(
      'data',
    );
  });
});

describe('consent', () => {
  const read = {
    fingerprint: `sha256:${'b'.repeat(64)}`,
    summary: 'Withdraw 1.5 USDC to your main account, once.',
    terms: [{ name: 'what', text: 'Withdraw 1.5 USDC' }],
    input: { contract: 'c' },
    contract: { type: 'ledger_intents_transfer' },
    toolCallId: callId,
  };

  it('is asked with the terms of what was read, and the fingerprint of that very reading', () => {
    const context = { ...live, approvals: new Map([[approvalId, read]]) };
    const { toolCallId: _, ...shown } = read;
    expect(told(journal(...asked), context).at(-1)).toEqual({
      type: 'tool-approval-request',
      approvalId,
      toolCallId: callId,
      approvalDescriptor: expect.objectContaining({ approvalId, tool: 'intents_transfer', ...shown }),
    });
  });

  it('is asked with what the frame says where the approval could not be read', () => {
    expect(told(journal(...asked)).at(-1)).toMatchObject({
      approvalDescriptor: { fingerprint, summary: null, terms: [], input: { contract: 'c' } },
    });
  });

  it('is asked for each of several calls of one tool, in their order', () => {
    const second = { toolCallId: 'second' };
    const other = { approvalId: operationId };
    const frames = [...begun, event('agent.step'), event('tool.called'), event('tool.called', second)];
    const chunks = told(journal(...frames, event('approval.opened'), event('approval.opened', other)));
    expect(chunks.slice(-2)).toMatchObject([
      { approvalId, toolCallId: callId },
      { approvalId: operationId, toolCallId: 'second' },
    ]);
  });

  it('that was given takes the question off, and the call goes on', () => {
    const chunks = told(journal(...asked, event('approval.decided'), event('run.resumed'), event('tool.returned')));
    expect(chunks.slice(-2)).toEqual([
      inputAvailable,
      { type: 'tool-output-available', toolCallId: callId, output: { operationId }, ...ours },
    ]);
  });

  it('that was denied is told once', () => {
    const denied = event('approval.decided', { status: 'denied' });
    const returned = event('tool.returned', { outcome: 'denied', result: null });
    const chunks = told(journal(...asked, denied, event('run.resumed'), returned, event('run.ended')));
    expect(chunks.filter(({ type }) => type === 'tool-output-denied')).toHaveLength(1);
    expect(chunks.at(-1)).toEqual({ type: 'tool-output-denied', toolCallId: callId });
  });

  it('that nobody gave in time is told as such', () => {
    const returned = event('tool.returned', { outcome: 'expired', result: null });
    const ended = event('run.ended', {
      status: 'failed',
      failure: { reason: 'approval_expired', text: 'Nobody decided.' },
    });
    const { state, chunks } = walked(journal(...asked, event('approval.expired'), returned, ended));
    expect(chunks.map(({ type }) => type)).toContain('tool-output-error');
    expect(state).toMatchObject({ status: 'failed', failure: { text: 'Nobody decided.' } });
  });
});

describe('a transfer', () => {
  it('is one part, which its settlement replaces', () => {
    const frames = journal(...asked, event('operation.submitted'), event('settlement.updated'));
    expect(told(frames).slice(-2)).toMatchObject([
      { type: 'data-settlement', id: operationId, data: { status: 'submitted', approvalId } },
      { type: 'data-settlement', id: operationId, data: { status: 'settled', approvalId } },
    ]);
  });
});

describe('a transfer of which the journal tells after the end of the run', () => {
  const frames = journal(
    ...asked,
    event('approval.decided'),
    event('run.resumed'),
    event('tool.returned'),
    event('run.ended'),
    event('operation.submitted'),
    event('settlement.updated'),
  );
  const ended = frames.slice(0, -2);

  it('is known to be on its way by what its call returned', () => {
    expect(walked(ended).state.operations).toEqual({ [operationId]: { approvalId, isSettled: false } });
    expect(walked(frames).state.operations).toEqual({ [operationId]: { approvalId, isSettled: true } });
  });

  it('is told when the journal tells of it', () => {
    expect(told(ended).map(({ type }) => type)).not.toContain('data-settlement');
    expect(told(frames).slice(-2)).toMatchObject([
      { type: 'data-settlement', data: { status: 'submitted' } },
      { type: 'data-settlement', data: { status: 'settled' } },
    ]);
  });

  it('is no other tool’s, whatever that returns', () => {
    const orders = [event('tool.called', { tool: 'orders_transfer' }), event('tool.returned'), event('run.ended')];
    expect(walked(journal(...begun, ...orders)).state.operations).toEqual({});
  });
});

describe('a run of an automation', () => {
  it('tells in its answer what the automation asked', () => {
    const started = event('run.started', { origin: 'automation', automationId: operationId });
    expect(told(journal(started)).at(-1)).toMatchObject({
      type: 'data-automation',
      data: { automationId: operationId, text: 'withdraw 1.5 USDC' },
    });
  });
});

it('every frame of a run moves the cursor in the metadata, and says how the run stands', () => {
  const { chunks } = walked(journal(...asked));
  const metadata = chunks.flatMap((chunk) => (chunk.type === 'message-metadata' ? [chunk.messageMetadata] : []));
  expect(metadata).toHaveLength(asked.length);
  expect(metadata.at(-1)).toMatchObject({ runId, cursor: '1.5', status: 'awaiting_approval' });
});
