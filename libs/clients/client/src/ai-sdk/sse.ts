import type { EventSourceMessage } from 'eventsource-parser';
import { messagesOf } from '../frames.js';

/** One server-sent event: JSON, and the position from which its reader continues after it. */
export interface SentEvent {
  readonly data: unknown;
  readonly id?: string;
}

const heartbeatMs = 15_000;
/** Heartbeats arrive every 15 s: a connection without a byte for this long is dead. */
const silenceMaxMs = 45_000;

/** Headers of the AI SDK's UI message stream over server-sent events. */
export const uiMessageStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no', // otherwise nginx would buffer text before it forwards it
} as const;

/** Ends a stream that stopped without an error; its reader may reconnect. */
const doneFrame = 'data: [DONE]\n\n';

/**
 * Returns events as bytes, read only as they are consumed, with a heartbeat while there are none. A source that throws
 * ends the bytes without `[DONE]`: its reader reconnects and then gets the error as an answer.
 * @param leave called when the reader has gone: it must end the source, even while it waits
 */
export function sseBytes(source: AsyncIterator<SentEvent>, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<SentEvent>> | null = null;
  return new ReadableStream({
    async pull(controller) {
      try {
        next ??= source.next();
        const result = await withinHeartbeat(next);
        if (result === null) return controller.enqueue(encoder.encode(': still here\n\n'));
        next = null;
        if (result.done !== true) return controller.enqueue(encoder.encode(frameOf(result.value)));
        controller.enqueue(encoder.encode(doneFrame));
      } catch {
        // The reader gets the error when it reconnects.
      }
      controller.close();
    },
    cancel: leave,
  });
}

/** Yields the events of one connection. Ends with it; throws the error that broke it, or that it was silent for too long. */
export function sseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage, void> {
  return messagesOf({ body, silenceMaxMs });
}

function frameOf({ data, id }: SentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Returns the result, or null if it is not available by the next heartbeat. */
async function withinHeartbeat<Value>(work: Promise<Value>): Promise<Value | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heartbeat = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), heartbeatMs);
  });
  try {
    return await Promise.race([work, heartbeat]);
  } finally {
    clearTimeout(timer);
  }
}
