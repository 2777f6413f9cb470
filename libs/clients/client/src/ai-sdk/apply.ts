import type { ParleyUIChunk, ParleyUIMessage } from './message.js';

type Part = ParleyUIMessage['parts'][number];
type ToolPart = Extract<Part, { type: 'dynamic-tool' }>;
/** Parts are built up member by member, as the AI SDK itself does. */
type Draft = Record<string, unknown> & { type: string };

/**
 * Adds a chunk to its message as the AI SDK does when it reads one from a stream, so that a message read from the
 * journal equals the streamed one. Changes the message.
 */
export function applyChunk(message: ParleyUIMessage, chunk: ParleyUIChunk): void {
  // Reason for the assertion: the same objects, seen as plain records.
  const parts = message.parts as Draft[];
  if ('messageMetadata' in chunk) applyMetadata(message, chunk);
  else if (chunk.type === 'start-step') parts.push({ type: 'step-start' });
  else if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') parts.push(begun(chunk));
  else if (chunk.type === 'text-delta') extendText(parts, 'text', chunk.delta);
  else if (chunk.type === 'reasoning-delta') extendText(parts, 'reasoning', chunk.delta);
  else if (chunk.type === 'text-end') endText(parts, 'text', chunk.providerMetadata);
  else if (chunk.type === 'reasoning-end') endText(parts, 'reasoning', chunk.providerMetadata);
  else if ('toolCallId' in chunk) applyTool(parts, chunk);
  // Transient data are not part of the message.
  else if ('data' in chunk && chunk.transient !== true) applyData(parts, chunk);
}

function applyData(parts: Draft[], { type, id, data }: { type: string; id?: string; data: unknown }): void {
  const known = parts.find((part) => part.type === type && part['id'] === id);
  if (known === undefined) parts.push({ type, id, data });
  else known['data'] = data;
}

function applyTool(parts: Draft[], chunk: Extract<ParleyUIChunk, { toolCallId: string }>): void {
  const known = parts.find((part) => part['toolCallId'] === chunk.toolCallId);
  if (chunk.type === 'tool-input-available') {
    const { toolCallId, toolName, input, providerExecuted } = chunk;
    const asked = { toolName, toolCallId, input, providerExecuted, ...inState('input-available') };
    if (known === undefined) parts.push({ type: 'dynamic-tool', ...asked });
    else Object.assign(known, asked);
  } else if (known !== undefined) {
    Object.assign(known, becomes(chunk));
    if (chunk.type.startsWith('tool-output-')) decide(known, chunk.type !== 'tool-output-denied');
  }
}

function becomes(chunk: Extract<ParleyUIChunk, { toolCallId: string }>): object {
  if (chunk.type === 'tool-approval-request') {
    const approval = { id: chunk.approvalId, descriptor: chunk.approvalDescriptor };
    return { ...inState('approval-requested'), approval };
  }
  if (chunk.type === 'tool-output-available') return { ...inState('output-available'), output: chunk.output };
  if (chunk.type === 'tool-output-error') return { ...inState('output-error'), errorText: chunk.errorText };
  return chunk.type === 'tool-output-denied' ? inState('output-denied') : {};
}

function inState(state: ToolPart['state']): { state: ToolPart['state'] } {
  return { state };
}

/** Records the decision in the part's approval: a call that has an output was decided. */
function decide(part: Draft, approved: boolean): void {
  const { approval } = part;
  if (typeof approval === 'object' && approval !== null) part['approval'] = { ...approval, approved };
}

function applyMetadata(message: ParleyUIMessage, chunk: { messageId?: string; messageMetadata?: unknown }): void {
  if (chunk.messageId !== undefined) message.id = chunk.messageId;
  if (typeof chunk.messageMetadata !== 'object' || chunk.messageMetadata === null) return;
  // Reason for the assertion: the metadata of chunks is made by `metadataOf`.
  message.metadata = { ...message.metadata, ...chunk.messageMetadata } as NonNullable<ParleyUIMessage['metadata']>;
}

function begun(chunk: { type: 'text-start' | 'reasoning-start'; id: string }): Draft {
  return chunk.type === 'text-start'
    ? { type: 'text', text: '', state: 'streaming' }
    : { type: 'reasoning', id: chunk.id, text: '', state: 'streaming' };
}

/** Returns the open part of a type; at most one of each type is open at a time. */
function beingWritten(parts: Draft[], type: string): Draft | undefined {
  return parts.findLast((part) => part.type === type && part['state'] === 'streaming');
}

function extendText(parts: Draft[], type: string, delta: string): void {
  const part = beingWritten(parts, type);
  if (part !== undefined) part['text'] = String(part['text']) + delta;
}

function endText(parts: Draft[], type: string, providerMetadata: unknown): void {
  const part = beingWritten(parts, type);
  if (part === undefined) return;
  part['state'] = 'done';
  if (providerMetadata !== undefined) part['providerMetadata'] = providerMetadata;
}
