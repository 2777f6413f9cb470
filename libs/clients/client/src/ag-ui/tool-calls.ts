import { erasedText, wordsOr } from '../erased.js';
import { restOfText, type DurablePayload, type LivePayload, type Step, type Thread } from './thread.js';
import type { AgUiEvent, Message } from './protocol.js';

type Called = Extract<DurablePayload, { type: 'tool.called' }>;
type Progressed = Extract<LivePayload, { readonly type: 'agent.tool_progress' }>;
type Returned = Extract<DurablePayload, { type: 'tool.returned' }>;

/** Handles a tool call with its whole input, unless the client has it. Each call is an assistant message of its own. */
export function called(thread: Thread, { toolCallId, tool, input }: Called): Step {
  const whole = JSON.stringify(input);
  const seen = thread.messages.flatMap(callsOf).find(({ id }) => id === toolCallId)?.function.arguments;
  // After a cut the client may have the beginning of it: the same input is always the same text.
  const rest = restOfText(seen ?? '', whole) ?? '';
  if (seen !== undefined && rest === '') return { thread, events: [] };
  const events: AgUiEvent[] = [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: rest },
    { type: 'TOOL_CALL_END', toolCallId },
  ];
  const call = { id: toolCallId, type: 'function', function: { name: tool, arguments: whole } } as const;
  const message: Message = { id: toolCallId, role: 'assistant', toolCalls: [call] };
  const messages =
    seen === undefined
      ? [...thread.messages, message]
      : thread.messages.map((one) => (callsOf(one).some(({ id }) => id === toolCallId) ? message : one));
  return { thread: { ...thread, messages }, events };
}

/**
 * Handles the progress of a call, which can arrive before the call, and is a custom event: AG-UI keeps its activities as
 * messages, which a client sends back.
 */
export function progressed(thread: Thread, payload: Progressed): Step {
  const isReturned = hasReturned(thread, payload.toolCallId);
  return { thread, events: isReturned ? [] : [{ type: 'CUSTOM', name: `parley.${payload.type}`, value: payload }] };
}

/** Handles the result of a call; `metadata.parley.outcome` distinguishes `ok`, `error`, `denied` and `expired`. */
export function returned(thread: Thread, { toolCallId, outcome, ...recorded }: Returned): Step {
  if (hasReturned(thread, toolCallId)) return { thread, events: [] };
  const messageId = `${toolCallId}/result`;
  const result = wordsOr(recorded.result, erasedText);
  const content = typeof result === 'string' ? result : JSON.stringify(result ?? null);
  const metadata = { parley: { outcome } };
  const message: Message = { id: messageId, role: 'tool', toolCallId, content, metadata };
  return {
    thread: { ...thread, messages: insertedAfterCall(thread.messages, message, toolCallId) },
    events: [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool', metadata }],
  };
}

function hasReturned({ messages }: Thread, toolCallId: string): boolean {
  return messages.some((one) => one.role === 'tool' && one.toolCallId === toolCallId);
}

/** Returns the tool of a call; null if the client does not have the call. */
export function toolOf({ messages }: Thread, toolCallId: string): string | null {
  return messages.flatMap(callsOf).find(({ id }) => id === toolCallId)?.function.name ?? null;
}

/** Inserts a result where AG-UI's own client does: right after its call and the results that are already there. */
function insertedAfterCall(messages: readonly Message[], result: Message, toolCallId: string): readonly Message[] {
  const owner = messages.findIndex((one) => callsOf(one).some(({ id }) => id === toolCallId));
  if (owner < 0) return [...messages, result];
  const after = messages.findIndex((one, at) => at > owner && one.role !== 'tool');
  const at = after < 0 ? messages.length : after;
  return [...messages.slice(0, at), result, ...messages.slice(at)];
}

function callsOf(
  message: Message,
): readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}
