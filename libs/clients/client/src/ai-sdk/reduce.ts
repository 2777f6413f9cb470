import { erasedText, isErased, wordsOr } from '../erased.js';
import type { DurableFrame, JournalFrame } from '../types.js';
import type { ShownText } from './cursor.js';
import { answerIdOf, type ParleyUIChunk } from './message.js';
import { enterRecordedStep, leaveStep, tellWhole, tellWords, withdrawOpen } from './reduce-text.js';
import * as tools from './reduce-tools.js';
import { andThen, isOver, metadataOf, noContext, silent } from './run-state.js';
import type { FrameContext, RunState, Told } from './run-state.js';

type Payload = DurableFrame['payload'];
type PayloadOf<Type extends Payload['type']> = Extract<Payload, { type: Type }>;

/**
 * Translates the next frame of a conversation's journal into the AI SDK's chunks for the message that answers one run.
 * Pure. Frames of other runs yield no chunks but move the cursor.
 */
export function reduce(state: RunState, frame: JournalFrame, context: FrameContext = noContext): Told {
  if (frame.delivery === 'live') return reduceLive(state, frame);
  const { payload, seq } = frame;
  const before = { ...state, seq };
  if (!isOf(state, payload)) return silent(before);
  const told = reducePayload(before, payload, context, seq);
  const isEdge = edges.has(payload.type) && seq > context.liveAfter;
  const next = isEdge ? { ...told.state, follows: true } : told.state;
  return { state: next, chunks: [...told.chunks, { type: 'message-metadata', messageMetadata: metadataOf(next) }] };
}

/** Returns the state after a connection was lost: the end of the current message will not be received live. */
export function loseTrack(state: RunState): RunState {
  return { ...state, follows: false, open: state.open.map((text) => ({ ...text, isFollowed: false })) };
}

/** Returns the state of a reader that was shown this much of messages that are not recorded yet. */
export function withShown(state: RunState, shown: readonly ShownText[]): RunState {
  if (shown.length === 0) return state;
  return { ...state, step: 'live', open: shown.map((text) => ({ ...text, isFollowed: false })) };
}

/** Opens the message, for a run that begins or continues. */
export function startOf(state: RunState): ParleyUIChunk {
  return { type: 'start', messageId: answerIdOf(state.runId), messageMetadata: metadataOf(state) };
}

/** Closes the stream of a message whose run is over or waits for consent. */
export function finishOf(state: RunState): readonly ParleyUIChunk[] {
  const { chunks, state: left } = leaveStep(state);
  const messageMetadata = metadataOf(left);
  if (state.status === 'failed') {
    const errorText = state.failure?.text ?? 'The run failed.';
    return [...chunks, { type: 'message-metadata', messageMetadata }, { type: 'error', errorText }];
  }
  if (state.status === 'aborted') {
    return [...chunks, { type: 'message-metadata', messageMetadata }, { type: 'abort', reason: 'stopped' }];
  }
  const finishReason = !isOver(state) ? 'tool-calls' : state.truncated ? 'length' : 'stop';
  return [...chunks, { type: 'finish', finishReason, messageMetadata }];
}

/** Events that delimit messages: a message that begins after one of them is received from its first word. */
const edges: ReadonlySet<Payload['type']> = new Set([
  'run.started',
  'run.claimed',
  'run.resumed',
  'agent.step',
  'agent.message',
  'tool.called',
  'tool.returned',
]);

function reduceLive(state: RunState, { payload }: Extract<JournalFrame, { delivery: 'live' }>): Told {
  if (payload.runId !== state.runId || isOver(state)) return silent(state);
  if (payload.type === 'agent.tool_progress') return tools.tellProgress(state, payload);
  const { type, messageId, text } = payload;
  return tellWords(state, { kind: type === 'agent.text_delta' ? 'text' : 'reasoning', messageId, text });
}

function isOf(state: RunState, payload: Payload): boolean {
  if ('runId' in payload) return payload.runId === state.runId;
  if ('approvalId' in payload) return payload.approvalId in state.approvals;
  return 'operationId' in payload && payload.operationId in state.operations;
}

type Tell<Some extends Payload> = (state: RunState, payload: Some, context: FrameContext, seq: number) => Told;

const tellers: { readonly [Type in Payload['type']]?: Tell<PayloadOf<Type>> } = {
  'run.started': (state, payload, _, seq) => tellStarted(state, payload, seq),
  'run.claimed': (state) => withdrawOpen({ ...state, status: state.status === 'stopping' ? 'stopping' : 'running' }),
  'run.suspended': (state) => withdrawOpen({ ...state, status: 'awaiting_approval' }),
  'run.resumed': (state) => silent({ ...state, status: 'running' }),
  'run.stopping': (state) => silent({ ...state, status: 'stopping' }),
  'run.ended': tellEnded,
  'agent.step': enterRecordedStep,
  // The reasoning is shown like the answer, and is recorded right before it.
  'agent.reasoning': (state, { messageId, text }) =>
    tellWhole(state, { kind: 'reasoning', messageId, text: wordsOr(text, erasedText) }),
  'agent.message': tellMessage,
  'tool.called': (state, payload) => andThen(withdrawOpen(state), (next) => tools.tellCall(next, payload)),
  'tool.returned': (state, payload) => andThen(withdrawOpen(state), (next) => tools.tellReturn(next, payload)),
  'approval.opened': tools.tellOpened,
  'approval.decided': tools.tellDecided,
  'approval.expired': tools.tellExpired,
  'operation.submitted': tools.tellSubmitted,
  'settlement.updated': tools.tellSettled,
};

function reducePayload(state: RunState, payload: Payload, context: FrameContext, seq: number): Told {
  // Reason for the assertion: the handler is selected by the payload's own type.
  const tell = tellers[payload.type] as Tell<Payload> | undefined;
  return tell === undefined ? silent(state) : tell(state, payload, context, seq);
}

function tellStarted(state: RunState, payload: PayloadOf<'run.started'>, seq: number): Told {
  const { origin, automationId, occurrenceId, at } = payload;
  const next = { ...state, startedSeq: seq, startedAt: at, automationId };
  const chunks: ParleyUIChunk[] = [startOf(next)];
  if (origin === 'automation') {
    const { text } = inputOf(payload);
    chunks.push({ type: 'data-automation', id: state.runId, data: { automationId, occurrenceId, text } });
  }
  return { state: next, chunks };
}

/** Returns what a run was asked; a neutral text where it was erased. */
export function inputOf({ request }: Pick<PayloadOf<'run.started'>, 'request'>): {
  text: string;
  artifactIds?: readonly string[];
} {
  return wordsOr(request, { input: { text: erasedText } }).input;
}

function tellMessage(state: RunState, { messageId, text, truncated }: PayloadOf<'agent.message'>): Told {
  return tellWhole({ ...state, truncated }, { kind: 'text', messageId, text: wordsOr(text, erasedText) });
}

function tellEnded(state: RunState, { status, failure, output }: PayloadOf<'run.ended'>): Told {
  const told = andThen(withdrawOpen({ ...state, status, failure }), tools.tellUnreturned);
  // An erased output may have been none at all, and a page expects a value that satisfies its schema.
  if (output === null || output === undefined || isErased(output)) return told;
  return { ...told, chunks: [...told.chunks, { type: 'data-output', id: state.runId, data: { value: output } }] };
}
