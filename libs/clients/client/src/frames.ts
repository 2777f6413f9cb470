import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Longest frame, in characters: well above the largest event. */
const frameLengthMax = 16 * 1024 * 1024;

/** The data received is not a stream of the service: all that is left is to close the connection and open another. */
export class GarbledStream extends Error {}

/** No byte was received for too long: the connection is dead, even if the operating system still reports it as open. */
class SilentStream extends Error {}

export interface FrameSource {
  readonly body: ReadableStream<Uint8Array>;
  /** Longest time without a byte. */
  readonly silenceMaxMs: number;
  /** Called with each `retry:`. */
  readonly onRetry?: (retryMs: number) => void;
  /** Called with the last `id` received, also from frames without data, once all messages before it were consumed. */
  readonly onPassed?: ((id: string) => void) | undefined;
}

/**
 * Yields the messages of one connection. Reads only as they are consumed, so that a slow reader applies back-pressure
 * instead of filling memory. Ends when the connection does; throws GarbledStream, SilentStream, or the error that broke
 * the connection.
 */
export async function* messagesOf(source: FrameSource): AsyncGenerator<EventSourceMessage, void> {
  const { body, silenceMaxMs, onRetry, onPassed } = source;
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    ...(onRetry && { onRetry }),
    maxBufferSize: frameLengthMax,
    onError: (error) => {
      // Unknown fields are ignored, as the SSE standard requires.
      if (error.type === 'max-buffer-size-exceeded') throw new GarbledStream(error.message);
    },
  });
  const decoder = new TextDecoder();
  const ids = onPassed === undefined ? null : new FrameIds();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(silenceMaxMs, reader.read());
      if (done) return;
      const text = decoder.decode(value, { stream: true });
      parser.feed(text);
      yield* messages.splice(0);
      const passed = ids?.lastAfter(text);
      if (passed !== undefined) onPassed?.(passed);
    }
  } finally {
    // The connection may already be broken.
    void reader.cancel().catch(() => undefined);
  }
}

/** Finds the ids of complete frames. The parser, following the standard, does not report a frame that has only an `id`. */
class FrameIds {
  private unended = '';

  /** @returns undefined if no frame with an id has ended in this text */
  lastAfter(text: string): string | undefined {
    const frames = (this.unended + text).split('\n\n');
    this.unended = frames.pop() ?? '';
    return frames.flatMap((frame) => /^id: ?(.+)$/m.exec(frame)?.[1] ?? []).at(-1);
  }
}

async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentStream(`no byte for ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws GarbledStream. */
export function parseJson(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return value;
  } catch (error) {
    throw new GarbledStream('no JSON', { cause: error });
  }
}
