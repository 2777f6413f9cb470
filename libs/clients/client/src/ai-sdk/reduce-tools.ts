import { operationBegunBy } from '../begun-operation.js';
import { erasedText, isErased } from '../erased.js';
import type { DurableFrame, ToolProgress } from '../types.js';
import type { ParleyUIChunk, SettlementData } from './message.js';
import { descriptorOf, silent, type Call, type FrameContext, type RunState, type Told } from './run-state.js';

type PayloadOf<Type extends DurableFrame['payload']['type']> = Extract<DurableFrame['payload'], { type: Type }>;

export function tellCall(state: RunState, { toolCallId, tool, input }: PayloadOf<'tool.called'>): Told {
  const call: Call = { tool, input, approvalId: null, isReturned: false };
  return { state: withCall(state, toolCallId, call), chunks: [inputOf(toolCallId, call)] };
}

/**
 * Handles the progress of a call, which can arrive before the call. It is no output, however preliminary: a page would
 * take the call for returned.
 */
export function tellProgress(state: RunState, { toolCallId, progress, total, message }: ToolProgress): Told {
  if (state.calls[toolCallId]?.isReturned === true) return silent(state);
  const data: ToolProgress = { toolCallId, progress, total, message };
  return { state, chunks: [{ type: 'data-progress', id: toolCallId, data, transient: true }] };
}

export function tellReturn(state: RunState, { toolCallId, outcome, result }: PayloadOf<'tool.returned'>): Told {
  const call = state.calls[toolCallId];
  // If the window of frames begins in the middle of a run, the call is not in it.
  if (call === undefined || call.isReturned) return silent(state);
  const next = withCall(state, toolCallId, { ...call, isReturned: true });
  switch (outcome) {
    case 'ok':
      return {
        state: withBegun(next, call, operationBegunBy(call.tool, { outcome, result })),
        chunks: [{ type: 'tool-output-available', toolCallId, output: result, ...ours }],
      };
    case 'denied':
      return { state: next, chunks: isDenied(state, call) ? [] : [{ type: 'tool-output-denied', toolCallId }] };
    case 'expired':
      return { state: next, chunks: [failedOutput(toolCallId, 'Nobody decided in time. Nothing was done.')] };
    case 'error':
      return { state: next, chunks: [failedOutput(toolCallId, wordsOf(result))] };
  }
}

export function tellOpened(state: RunState, opened: PayloadOf<'approval.opened'>, context: FrameContext): Told {
  const { approvalId } = opened;
  const read = context.approvals.get(approvalId);
  const known = read?.toolCallId ?? waitingCallOf(state, opened.tool);
  const toolCallId = known !== null && known in state.calls ? known : approvalId;
  const call = state.calls[toolCallId] ?? {
    tool: opened.tool,
    input: read?.input ?? {},
    approvalId,
    isReturned: false,
  };
  const chunks: ParleyUIChunk[] = toolCallId in state.calls ? [] : [inputOf(toolCallId, call)];
  chunks.push({
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    approvalDescriptor: descriptorOf(opened, call.input, read),
  });
  const next = withCall(state, toolCallId, { ...call, approvalId });
  return {
    state: { ...next, approvals: { ...next.approvals, [approvalId]: { toolCallId, status: 'pending' } } },
    chunks,
  };
}

/** Handles a decision, including one made on another page or by a contract. */
export function tellDecided(state: RunState, { approvalId, status }: PayloadOf<'approval.decided'>): Told {
  const asked = state.approvals[approvalId];
  const call = asked === undefined ? undefined : state.calls[asked.toolCallId];
  if (asked === undefined || call === undefined) return silent(state);
  const next = { ...state, approvals: { ...state.approvals, [approvalId]: { ...asked, status } } };
  const { toolCallId } = asked;
  // Removes the question from the page: the approved call is being executed now.
  return {
    state: next,
    chunks: [status === 'approved' ? inputOf(toolCallId, call) : { type: 'tool-output-denied', toolCallId }],
  };
}

/** Shows nothing, because the call's own return reports the effect of the expiry. */
export function tellExpired(state: RunState, { approvalId }: PayloadOf<'approval.expired'>): Told {
  const asked = state.approvals[approvalId];
  if (asked === undefined) return silent(state);
  return silent({ ...state, approvals: { ...state.approvals, [approvalId]: { ...asked, status: 'expired' } } });
}

export function tellSubmitted(state: RunState, payload: PayloadOf<'operation.submitted'>): Told {
  const { operationId, approvalId } = payload;
  const operations = { ...state.operations, [operationId]: { approvalId, isSettled: false } };
  const data: SettlementData = { operationId, approvalId, status: 'submitted', actions: [], failure: null };
  return { state: { ...state, operations }, chunks: [{ type: 'data-settlement', id: operationId, data }] };
}

export function tellSettled(state: RunState, payload: PayloadOf<'settlement.updated'>): Told {
  const { operationId, status, actions, failure } = payload;
  const approvalId = state.operations[operationId]?.approvalId ?? null;
  const operations = { ...state.operations, [operationId]: { approvalId, isSettled: true } };
  const data: SettlementData = { operationId, approvalId, status, actions, failure };
  return { state: { ...state, operations }, chunks: [{ type: 'data-settlement', id: operationId, data }] };
}

/** Reports calls that had no return at the end of the run as failed, because their outcome is unknown. */
export function tellUnreturned(state: RunState): Told {
  const waiting = Object.entries(state.calls).filter(([, call]) => !call.isReturned && !isDenied(state, call));
  return {
    state,
    chunks: waiting.map(([toolCallId]) => failedOutput(toolCallId, 'The run ended before this returned.')),
  };
}

/** Parley runs every tool itself: a page never has to, and gets the names of tools only as data. */
const ours = { dynamic: true, providerExecuted: true } as const;

function inputOf(toolCallId: string, { tool, input }: Call): ParleyUIChunk {
  return { type: 'tool-input-available', toolCallId, toolName: tool, input, ...ours };
}

function failedOutput(toolCallId: string, errorText: string): ParleyUIChunk {
  return { type: 'tool-output-error', toolCallId, errorText, ...ours };
}

function withCall(state: RunState, toolCallId: string, call: Call): RunState {
  return { ...state, calls: { ...state.calls, [toolCallId]: call } };
}

/** Adds the operation that a call has begun, because the journal may report its settlement after the run's end. */
function withBegun(state: RunState, { approvalId }: Call, operationId: string | null): RunState {
  if (operationId === null || operationId in state.operations) return state;
  return { ...state, operations: { ...state.operations, [operationId]: { approvalId, isSettled: false } } };
}

function isDenied({ approvals }: RunState, { approvalId }: Call): boolean {
  return approvalId !== null && approvals[approvalId]?.status === 'denied';
}

/** Approvals are opened in the order of their calls. */
function waitingCallOf({ calls }: RunState, tool: string): string | null {
  const waiting = Object.entries(calls).find(
    ([, call]) => call.tool === tool && !call.isReturned && call.approvalId === null,
  );
  return waiting?.[0] ?? null;
}

function wordsOf(result: unknown): string {
  if (typeof result === 'string') return result;
  if (isErased(result)) return erasedText;
  if (typeof result !== 'object' || result === null) return JSON.stringify(result);
  const words: unknown = ['text', 'message', 'error'].map((name): unknown => Reflect.get(result, name)).find(isText);
  return typeof words === 'string' ? words : JSON.stringify(result);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
