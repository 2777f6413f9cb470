import { operationBegunBy } from '../begun-operation.js';
import { erasedText, wordsOr } from '../erased.js';
import type { AgUiEvent } from './protocol.js';
import { askedElsewhere, hear, record, takeBackUnfinished } from './speech.js';
import type { DurablePayload, Frame, LivePayload, Step, Thread } from './thread.js';
import { called, progressed, returned, toolOf } from './tool-calls.js';

type Payload<Type extends DurablePayload['type']> = Extract<DurablePayload, { type: Type }>;
type Operations = Thread['operations'];

/**
 * Translates one frame of the journal into AG-UI events and the client's new state. Pure. A durable frame that the
 * client already has yields nothing, and a message that it has in part yields the remainder, so the same frames can be
 * read again after any cut.
 */
export function translate(thread: Thread, frame: Frame): Step {
  if (frame.delivery === 'live') return takeLive(thread, frame.payload);
  const { seq, payload } = frame;
  if (seq <= thread.cursor) return { thread, events: [] };
  const next = take({ ...thread, cursor: seq }, payload);
  const changed = operationsChangedBy(thread, payload);
  return {
    thread: { ...next.thread, operations: { ...thread.operations, ...changed } },
    events: [...next.events, ...told(seq, payload), stateDelta(seq, changed)],
  };
}

function takeLive(thread: Thread, payload: LivePayload): Step {
  switch (payload.type) {
    case 'agent.text_delta':
      return hear(thread, 'text', payload);
    case 'agent.reasoning_delta':
      return hear(thread, 'reasoning', payload);
    case 'agent.tool_progress':
      return progressed(thread, payload);
    default:
      return silently(thread); // of a newer service
  }
}

/** Handlers by event type. An event without one, such as one of a newer service, changes nothing that is shown. */
const takers: { readonly [Type in DurablePayload['type']]?: (thread: Thread, payload: Payload<Type>) => Step } = {
  'run.started': started,
  'run.claimed': takeBackUnfinished,
  'run.resumed': (thread, { runId }) => silently({ ...thread, liveRunId: runId }),
  'run.suspended': (thread, { runId }) => takeBackUnfinished(withoutLive(thread, runId)),
  'run.ended': (thread, end) => takeBackUnfinished({ ...withoutLive(thread, end.runId), lastEnd: end }),
  'agent.reasoning': (thread, message) => record(thread, 'reasoning', message),
  'agent.message': (thread, message) => record(atNextStep(thread), 'text', message),
  'tool.called': (thread, call) => called(atNextStep(thread), call),
  'tool.returned': returned,
  'approval.opened': ({ pending, ...thread }, { approvalId }) =>
    silently({ ...thread, pending: new Set([...pending, approvalId]) }),
  'approval.decided': (thread, { approvalId }) => silently(withoutApproval(thread, approvalId)),
  'approval.expired': (thread, { approvalId }) => silently(withoutApproval(thread, approvalId)),
};

function take<Type extends DurablePayload['type']>(thread: Thread, payload: Payload<Type>): Step {
  // Reason for the assertion: TypeScript cannot tie a payload of a type that is no literal to its handler.
  const taker = takers[payload.type] as ((thread: Thread, payload: Payload<Type>) => Step) | undefined;
  return taker?.(thread, payload) ?? silently(thread);
}

function started(thread: Thread, { runId, request }: Payload<'run.started'>): Step {
  const live = { ...thread, liveRunId: runId };
  const messageId = thread.messageIds[runId] ?? runId;
  const isThere = thread.messages.some(({ id }) => id === messageId);
  const { input } = wordsOr(request, { input: { text: erasedText } });
  return isThere ? silently(live) : askedElsewhere(live, messageId, input.text);
}

const silently = (thread: Thread): Step => ({ thread, events: [] });

/** The message that was missed in part is complete: the next one is received from its beginning. */
const atNextStep = (thread: Thread): Thread => ({ ...thread, missedRunId: null });

const withoutLive = (thread: Thread, runId: string): Thread => ({
  ...atNextStep(thread),
  liveRunId: thread.liveRunId === runId ? null : thread.liveRunId,
});

const withoutApproval = (thread: Thread, approvalId: string): Thread => ({
  ...thread,
  pending: new Set([...thread.pending].filter((id) => id !== approvalId)),
});

function operationsChangedBy(thread: Thread, payload: DurablePayload): Operations {
  const known = thread.operations;
  if (payload.type === 'tool.returned') {
    const { at, runId, toolCallId } = payload;
    const operationId = operationBegunBy(toolOf(thread, toolCallId), payload);
    // The journal may report it only after the end of the run, and is followed until then.
    if (operationId === null || operationId in known) return {};
    return {
      [operationId]: { status: 'submitted', submittedAt: at, runId, approvalId: null, actions: [], failure: null },
    };
  }
  if (payload.type === 'operation.submitted') {
    const { operationId, at, runId, approvalId } = payload;
    return { [operationId]: { status: 'submitted', submittedAt: at, runId, approvalId, actions: [], failure: null } };
  }
  if (payload.type === 'settlement.updated') {
    const { operationId, status, actions, failure } = payload;
    const { submittedAt = payload.at, runId = null, approvalId = null } = known[operationId] ?? {};
    return { [operationId]: { status, submittedAt, runId, approvalId, actions, failure } };
  }
  return {};
}

const ownTypes: ReadonlySet<DurablePayload['type']> = new Set([
  'operation.submitted',
  'settlement.updated',
  'approval.decided',
  'approval.expired',
  'automation.triggered',
  'artifact.uploaded',
]);

/** Returns events that AG-UI has no counterpart for as `parley.<type>`, with the event itself and its `seq`. */
function told(seq: number, payload: DurablePayload): readonly AgUiEvent[] {
  if (!ownTypes.has(payload.type)) return [];
  return [{ type: 'CUSTOM', name: `parley.${payload.type}`, value: { seq, ...payload } }];
}

/** The last event of each frame: a client that has it has the whole frame. */
function stateDelta(seq: number, changed: Operations): AgUiEvent {
  const cursor = { op: 'replace', path: '/parley/cursor', value: seq } as const;
  const operations = Object.entries(changed).map(
    ([operationId, value]) => ({ op: 'add', path: `/parley/operations/${operationId}`, value }) as const,
  );
  return { type: 'STATE_DELTA', delta: [cursor, ...operations] };
}
