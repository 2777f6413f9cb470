import { restOfText } from './rest-of-text.js';
import type { AgUiEvent, Message } from './protocol.js';
import type { DurablePayload, Step, Thread } from './thread.js';

type Called = Extract<DurablePayload, { type: 'tool.called' }>;
type Returned = Extract<DurablePayload, { type: 'tool.returned' }>;

/** A tool call with its whole input, as far as the client does not have it. Each call is an assistant message of its own. */
export function called(thread: Thread, { toolCallId, tool, input }: Called): Step {
  const whole = JSON.stringify(input);
  const seen = thread.messages.flatMap(callsOf).find(({ id }) => id === toolCallId)?.function.arguments;
  // What a cut left is a beginning of it: the same input is always the same text.
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

/** What a call came to; `metadata.parley.outcome` tells `ok`, `error`, `denied` and `expired` apart. */
export function returned(thread: Thread, { toolCallId, outcome, result }: Returned): Step {
  if (thread.messages.some((one) => one.role === 'tool' && one.toolCallId === toolCallId))
    return { thread, events: [] };
  const messageId = `${toolCallId}/result`;
  const content = typeof result === 'string' ? result : JSON.stringify(result ?? null);
  const metadata = { parley: { outcome } };
  const message: Message = { id: messageId, role: 'tool', toolCallId, content, metadata };
  return {
    thread: { ...thread, messages: insertedAfterCall(thread.messages, message, toolCallId) },
    events: [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool', metadata }],
  };
}

/** The tool of a call; null for one that the client does not have. */
export function toolOf({ messages }: Thread, toolCallId: string): string | null {
  return messages.flatMap(callsOf).find(({ id }) => id === toolCallId)?.function.name ?? null;
}

/** Where AG-UI's own client puts a result: right after its call and the results that are there already. */
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
