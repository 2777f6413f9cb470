import type { EventSourceMessage } from 'eventsource-parser';
import { messagesOf } from '../frames.js';

/** One server-sent event: JSON, and the place from which its reader goes on after it. */
export interface SentEvent {
  readonly data: unknown;
  readonly id?: string;
}

const heartbeatMs = 15_000;
/** Heartbeats come every 15 s: a connection without a byte for this long is dead. */
const silenceMaxMs = 45_000;

/** Headers of the AI SDK's UI message stream over server-sent events. */
export const uiMessageStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-store',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no', // nginx would collect words before it passes them on
} as const;

/** Ends a stream that stopped without an error; its reader may come back. */
const doneFrame = 'data: [DONE]\n\n';

/**
 * Events as bytes, read only as they are taken, with a heartbeat while there are none. A source that throws ends the bytes without
 * `[DONE]`: its reader comes back, and is told why at the door.
 * @param leave called when nobody reads any more: the source ends then, even while it waits
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
        // The reader learns of it when it comes back.
      }
      controller.close();
    },
    cancel: leave,
  });
}

/** The events of one connection. Ends with it; throws what it broke with, and when it is silent for too long. */
export function sseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage, void> {
  return messagesOf({ body, silenceMaxMs });
}

function frameOf({ data, id }: SentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The result, or null when it is not there at the next heartbeat. */
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
