import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Characters of one frame: well over the largest event. */
const frameLengthMax = 16 * 1024 * 1024;

/** What came is not a stream of the service: it can only be cut and reopened. */
export class GarbledStream extends Error {}

/** No byte came for too long: the connection is dead, even if the system still takes it for open. */
class SilentStream extends Error {}

export interface FrameSource {
  readonly body: ReadableStream<Uint8Array>;
  /** Longest time without a byte. */
  readonly silenceMaxMs: number;
  /** Told of each `retry:`. */
  readonly onRetry?: (retryMs: number) => void;
  /** Told of the last `id` that came, of frames without data too, once all messages before it were taken. */
  readonly onPassed?: ((id: string) => void) | undefined;
}

/**
 * The messages of one connection. Reads only as they are taken, so that a slow reader holds the sender up instead of filling
 * memory. Ends when the connection does; throws GarbledStream, SilentStream, or what the connection broke with.
 */
export async function* messagesOf(source: FrameSource): AsyncGenerator<EventSourceMessage, void> {
  const { body, silenceMaxMs, onRetry, onPassed } = source;
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    ...(onRetry && { onRetry }),
    maxBufferSize: frameLengthMax,
    onError: (error) => {
      // Fields that are unknown are to be ignored (the SSE standard).
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
    // It may be broken already, which is why it ends.
    void reader.cancel().catch(() => undefined);
  }
}

/** The ids of whole frames. The parser hands no frame on that has an `id` alone, as the standard wants it. */
class FrameIds {
  private unended = '';

  /** @returns undefined where no frame with an id has ended with this text */
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
