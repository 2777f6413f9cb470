import type { AgUiEvent } from './protocol.js';

/** Proxies close idle connections. */
const heartbeatMs = 15_000;

/** Returns one AG-UI event in the format of server-sent events. */
export function encodeAgUiEvent(event: AgUiEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/**
 * Returns AG-UI events as the answer to a client's request. A slow reader delays the events; a client that disconnects
 * ends them.
 * @param leave called once when the client has disconnected
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
    'x-accel-buffering': 'no', // otherwise nginx would buffer text before it forwards it
  };
  return new Response(body, { headers });
}
