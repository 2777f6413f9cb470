import type { ChatTransport, UIMessage } from 'ai';
import { answersIn, questionsAgain, type GivenAnswer } from './answers.js';
import { ChatRefused, Door, type DoorOptions } from './door.js';
import type { ChatHistory } from './history.js';
import { answerMetadataOf, type ParleyUIChunk, type ParleyUIMessage } from './message.js';
import { sseEvents } from './sse.js';
import { jitteredMs, pause } from '../retries.js';
import { unbrokenChunks, type ChunkSource } from './unbroken.js';

export type ParleyChatTransportOptions = DoorOptions;

const watchDelayMs = 250;
const watchDelayMaxMs = 8_000;

type SendOptions<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0];
type ReconnectOptions<Message extends UIMessage> = Parameters<ChatTransport<Message>['reconnectToStream']>[0];

/**
 * Connects `useChat` to Parley: `useChat({ id: conversationId, transport: new ParleyChatTransport({ api: '/api/chat' })
 * })`. It calls your own server (`handleChat`), which holds the keys.
 *
 * A message starts one run, however often it is sent; `regenerate()` streams the recorded answer again and runs
 * nothing. An answer to an approval is sent until it is recorded; if that fails, the question is shown again. `stop()`
 * only stops reading: `abort()` ends the run. Connections may break at any moment: the stream has no gap and repeats
 * nothing.
 */
export class ParleyChatTransport<Message extends UIMessage = ParleyUIMessage> implements ChatTransport<Message> {
  private readonly door: Door;
  /** The runs of messages that this page sent, by the message's id. */
  private readonly runs = new Map<string, string>();
  /** The approvals whose answers are recorded. */
  private readonly answered = new Set<string>();

  constructor(options: ParleyChatTransportOptions) {
    this.door = new Door(options);
  }

  /** For `useChat` to call. Rejects with ChatRefused. */
  async sendMessages({
    chatId,
    messages,
    messageId,
    abortSignal,
  }: SendOptions<Message>): Promise<ReadableStream<ParleyUIChunk>> {
    const signal = abortSignal ?? new AbortController().signal;
    const wanted = messages.find(({ id }) => id === messageId) ?? messages.at(-1);
    const asking = [wanted, ...messages].find((message) => message !== undefined && this.unsent(message).length > 0);
    if (asking === wanted && wanted !== undefined && asking !== undefined)
      return this.sendAnswers(chatId, wanted, signal);
    if (asking !== undefined) return this.recordAnswers(chatId, asking, signal);
    const asked = messages.findLast(({ role }) => role === 'user');
    if (asked === undefined) throw new ChatRefused('invalid_input', 0, false, 'There is no message to send.');
    const body = { runId: this.runOf(asked.id), ...contentOf(asked) };
    const first = (by: AbortSignal): Promise<Response> =>
      this.door.call({
        method: 'POST',
        path: `/${chatId}/messages`,
        body,
        signal: by,
        // The user is waiting, so a conflict that only time resolves is reported at once.
        worthAnotherTry: ({ retryable, status }) => retryable && status !== 409,
      });
    return this.stream(chatId, await first(signal), first, signal);
  }

  /** For `useChat({ sendAutomaticallyWhen })`: sends each answer at once, also while other questions are open. */
  readonly sendAutomaticallyWhen = ({ messages }: { messages: readonly UIMessage[] }): boolean =>
    messages.some((message) => this.unsent(message).length > 0);

  /** For `useChat` to call, with `resume: true`: streams the current answer from its beginning; null if there is none. */
  async reconnectToStream({
    chatId,
    abortSignal,
  }: ReconnectOptions<Message>): Promise<ReadableStream<ParleyUIChunk> | null> {
    const signal = abortSignal ?? new AbortController().signal;
    const first = (by: AbortSignal): Promise<Response> =>
      this.door.call({ method: 'GET', path: `/${chatId}/stream`, signal: by });
    const response = await first(signal);
    return response.status === 204 ? null : this.stream(chatId, response, first, signal);
  }

  /** Returns the conversation as it is recorded, for `useChat({ messages })`. Rejects with ChatRefused. */
  async load(chatId: string, signal: AbortSignal = new AbortController().signal): Promise<ChatHistory> {
    const response = await this.door.call({ method: 'GET', path: `/${chatId}`, signal });
    // Reason for the assertion: `handleChat` answers in this form.
    return (await response.json()) as ChatHistory;
  }

  /** Ends the current run. Rejects with ChatRefused. */
  async abort(chatId: string): Promise<void> {
    await this.door.call({ method: 'POST', path: `/${chatId}/stop`, body: {}, signal: new AbortController().signal });
  }

  /**
   * Yields every message that changes after `seq`, whole: settlements, decisions made elsewhere, automations. Merge
   * each into the chat with `withUpdate`. Ends with the signal; throws ChatRefused when the server refuses for good.
   */
  async *watch(chatId: string, seq: number, signal: AbortSignal): AsyncGenerator<ParleyUIMessage, void> {
    const place = { seq: String(seq), hasMoved: false };
    for (let failures = 0; !signal.aborted; failures += 1) {
      place.hasMoved = false;
      try {
        yield* this.updates(chatId, place, signal);
      } catch (error) {
        if (error instanceof ChatRefused && !error.retryable) throw error;
        // Other failures are temporary: continue from the same position.
      }
      if (place.hasMoved) failures = 0;
      // Rejects when aborted; the loop's condition then ends it.
      await pause(jitteredMs(watchDelayMs, watchDelayMaxMs, failures), signal).catch(() => undefined);
    }
  }

  /** Returns the messages with an update of `watch` in its place, unless the chat has a newer one. */
  withUpdate<Some extends UIMessage>(messages: readonly Some[], update: Some): Some[] {
    const isSame = ({ id }: Some): boolean => id === update.id || this.runs.get(id) === update.id;
    const index = messages.findIndex(isSame);
    const known = messages[index];
    if (known === undefined) return [...messages, update];
    if (update.role === 'user' || this.unsent(known).length > 0 || seqOf(update) < seqOf(known)) return [...messages];
    return messages.map((message) => (isSame(message) ? update : message));
  }

  /** Yields the updates of one connection. */
  private async *updates(
    chatId: string,
    place: { seq: string; hasMoved: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<ParleyUIMessage, void> {
    const headers = { 'last-event-id': place.seq };
    const { body } = await this.door.call({ method: 'GET', path: `/${chatId}/watch`, headers, signal });
    if (body === null) return;
    for await (const { data, id } of sseEvents(body)) {
      if (data === '[DONE]') return;
      // Reason for the assertion: `handleChat` sends this form.
      yield (JSON.parse(data) as { message: ParleyUIMessage }).message;
      place.seq = id ?? place.seq;
      place.hasMoved = true;
    }
  }

  private unsent(message: UIMessage): GivenAnswer[] {
    return answersIn(message).filter(({ approvalId }) => !this.answered.has(approvalId));
  }

  /** Sends a message's answers, and streams how its run continues. */
  private async sendAnswers(
    chatId: string,
    message: Message,
    signal: AbortSignal,
  ): Promise<ReadableStream<ParleyUIChunk>> {
    const given = this.unsent(message);
    const post = this.postOf(chatId, message, given);
    try {
      return this.stream(chatId, await post(signal), post, signal);
    } catch (error) {
      signal.throwIfAborted();
      return questionsAgain(message, given, error);
    }
  }

  /** Sends the answers of a message that the chat is not about to change; `watch` reports their effect. */
  private async recordAnswers(
    chatId: string,
    message: Message,
    signal: AbortSignal,
  ): Promise<ReadableStream<ParleyUIChunk>> {
    const { body } = await this.postOf(chatId, message, this.unsent(message))(signal);
    await body?.cancel();
    return new ReadableStream({ start: (controller) => controller.close() });
  }

  private postOf(chatId: string, message: Message, given: readonly GivenAnswer[]): ChunkSource['first'] {
    const cursor = answerMetadataOf(message)?.cursor ?? '';
    const answers = given.map(({ toolCallId: _, ...answer }) => answer);
    return async (signal) => {
      const body = { cursor, answers };
      const response = await this.door.call({ method: 'POST', path: `/${chatId}/answers`, body, signal });
      for (const { approvalId } of given) this.answered.add(approvalId);
      return response;
    };
  }

  private stream(
    chatId: string,
    response: Response,
    first: ChunkSource['first'],
    signal: AbortSignal,
  ): ReadableStream<ParleyUIChunk> {
    const goOn = (cursor: string, by: AbortSignal): Promise<Response> =>
      this.door.call({ method: 'GET', path: `/${chatId}/stream`, headers: { 'last-event-id': cursor }, signal: by });
    const left = new AbortController();
    const chunks = unbrokenChunks(response, { first, goOn }, AbortSignal.any([signal, left.signal]));
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        left.abort();
        await chunks.return();
      },
    });
  }

  private runOf(messageId: string): string {
    const known = this.runs.get(messageId) ?? (isUuid.test(messageId) ? messageId : randomUuid());
    this.runs.set(messageId, known);
    return known;
  }
}

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns a UUID of version 4. `crypto.randomUUID` is missing in pages that are not served securely. */
function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, index) =>
    index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte,
  );
  const text = hex.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

function contentOf({ parts }: UIMessage): { text: string } {
  if (parts.some(({ type }) => type === 'file')) {
    throw new ChatRefused('invalid_input', 0, false, 'Files are uploaded as artifacts, and named by their ids.');
  }
  return { text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') };
}

/** Returns the `seq` up to which a message includes the journal. */
function seqOf(message: UIMessage): number {
  return Number(answerMetadataOf(message)?.cursor.split('.')[1] ?? 0);
}
