import { erasedText, wordsOr } from '../erased.js';
import { restOfText, messagesSnapshot } from './thread.js';
import type { DurablePayload, LivePayload, Step, Thread } from './thread.js';
import type { AgUiEvent, Message } from './protocol.js';

type Voice = 'text' | 'reasoning';
type Metadata = Readonly<Record<string, unknown>>;
type Delta = Extract<LivePayload, { readonly messageId: string }>;
type Recorded = Pick<Extract<DurablePayload, { type: 'agent.message' }>, 'messageId' | 'text' | 'truncated'>;

/** Handles live text. It is shown if the message was received from its beginning; otherwise the recorded text is awaited. */
export function hear(thread: Thread, voice: Voice, { runId, messageId, text }: Delta): Step {
  const isNew = !thread.messages.some(({ id }) => id === messageId);
  if (isNew && thread.missedRunId === runId) {
    // Kept without text, so that later text is not taken for its beginning.
    const messages = [...thread.messages, emptyMessage(voice, messageId)];
    return { thread: { ...thread, messages, missedRunId: null }, events: [] };
  }
  if (!isNew && !thread.speaking.has(messageId)) return { thread, events: [] };
  return say(thread, voice, messageId, text);
}

/** Handles a recorded message: completes the text that the client has, or replaces it if live text was lost. */
export function record(thread: Thread, voice: Voice, { messageId, truncated, ...recorded }: Recorded): Step {
  const text = wordsOr(recorded.text, erasedText);
  const known = thread.messages.find(({ id }) => id === messageId);
  if (known !== undefined && !isUnfinished(known)) return { thread, events: [] };
  const rest = restOfText(textOf(known) ?? '', text);
  const said = rest === null ? { thread, events: [] } : say(thread, voice, messageId, rest);
  // The client sends it with its next request; it marks this message as whole.
  const metadata = { parley: { seq: thread.cursor, ...(truncated && { truncated }) } };
  const { messages, speaking } = said.thread;
  const whole = {
    ...said.thread,
    messages: messages.map((one) => (one.id === messageId ? { ...withText(one, text), metadata } : one)),
    speaking: new Set([...speaking].filter((id) => id !== messageId)),
  };
  const ends = speaking.has(messageId) ? endOf(voice, messageId, metadata) : [];
  return { thread: whole, events: [...said.events, ...ends, ...(rest === null ? [messagesSnapshot(whole)] : [])] };
}

/** Retracts partial messages of a worker that is gone, because they will not be finished. */
export function takeBackUnfinished(thread: Thread): Step {
  const unfinished = thread.messages.filter(isUnfinished);
  if (unfinished.length === 0) return { thread, events: [] };
  const messages = thread.messages.filter((one) => !isUnfinished(one));
  const left = { ...thread, messages, speaking: new Set<string>() };
  const spoken = unfinished.filter(({ id }) => thread.speaking.has(id));
  const ends = spoken.flatMap(({ id, role }) => endOf(role === 'reasoning' ? 'reasoning' : 'text', id));
  return { thread: left, events: [...ends, messagesSnapshot(left)] };
}

/** Whether a message is the agent's and was not recorded up to the client's cursor. */
function isUnfinished(message: Message): boolean {
  const isSpeech = message.role === 'reasoning' || (message.role === 'assistant' && message.toolCalls === undefined);
  return isSpeech && message.metadata?.['parley'] === undefined;
}

/** Adds a whole message of the user that this client did not send. */
export function askedElsewhere(thread: Thread, messageId: string, text: string): Step {
  return {
    thread: { ...thread, messages: [...thread.messages, { id: messageId, role: 'user', content: text }] },
    events: [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'user' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text },
      { type: 'TEXT_MESSAGE_END', messageId },
    ],
  };
}

function say(thread: Thread, voice: Voice, messageId: string, text: string): Step {
  const known = thread.messages.find(({ id }) => id === messageId);
  const message = known ?? emptyMessage(voice, messageId);
  const grown = withText(message, (textOf(message) ?? '') + text);
  const messages =
    known === undefined ? [...thread.messages, grown] : thread.messages.map((one) => (one === known ? grown : one));
  return {
    thread: { ...thread, messages, speaking: new Set([...thread.speaking, messageId]) },
    events: [...(thread.speaking.has(messageId) ? [] : starts(voice, messageId)), ...words(voice, messageId, text)],
  };
}

function endOf(voice: Voice, messageId: string, metadata?: Metadata): readonly AgUiEvent[] {
  const more = metadata === undefined ? {} : { metadata };
  if (voice === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId, ...more }];
  return [
    { type: 'REASONING_MESSAGE_END', messageId, ...more },
    { type: 'REASONING_END', messageId },
  ];
}

function starts(voice: Voice, messageId: string): readonly AgUiEvent[] {
  if (voice === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }];
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ];
}

function words(voice: Voice, messageId: string, delta: string): readonly AgUiEvent[] {
  if (delta === '') return [];
  return [{ type: voice === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT', messageId, delta }];
}

function emptyMessage(voice: Voice, id: string): Message {
  return voice === 'text' ? { id, role: 'assistant', content: '' } : { id, role: 'reasoning', content: '' };
}

/** Returns null if it is not a message with growing text. */
function textOf(message: Message | undefined): string | null {
  if (message === undefined || (message.role !== 'assistant' && message.role !== 'reasoning')) return null;
  return message.content ?? '';
}

function withText(message: Message, content: string): Message {
  return message.role === 'assistant' || message.role === 'reasoning' ? { ...message, content } : message;
}
