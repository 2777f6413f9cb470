import type { AgUiEvent } from './protocol.js';

/** Proxies end a connection on which nothing passes. */
const heartbeatMs = 15_000;

/** One AG-UI event as server-sent events carry it. */
export function encodeAgUiEvent(event: AgUiEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/**
 * AG-UI events as the answer to a client's request. A client that reads slowly holds the events up; one that goes away ends them.
 * @param leave called once when the client is gone
 */
export function agUiResponse(events: AsyncIterator<AgUiEvent, void>, leave: () => void): Response {
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
      }, heartbeatMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (done !== true) return controller.enqueue(encoder.encode(encodeAgUiEvent(value)));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      clearInterval(heartbeat);
    },
    cancel() {
      clearInterval(heartbeat);
      leave();
    },
  });
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // nginx would collect words before it passes them on
  };
  return new Response(body, { headers });
}
