import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { JournalFrame } from './types.js';

/** Characters of one frame: well over the largest event. */
const frameLengthMax = 16 * 1024 * 1024;

/** What came is not a journal stream of the service: it can only be cut and reopened. */
export class GarbledStream extends Error {}

/** No byte came for too long: the connection is dead, even if the system still takes it for open. */
class SilentStream extends Error {}

export interface FrameSource {
  readonly body: ReadableStream<Uint8Array>;
  /** Longest time without a byte. */
  readonly silenceMaxMs: number;
  /** Told of each `retry:`. */
  readonly onRetry: (retryMs: number) => void;
}

/**
 * The frames of one connection. Reads only as the frames are taken, so that a slow reader holds the sender up instead of filling
 * memory. Ends when the connection does; throws GarbledStream, SilentStream, or what the connection broke with.
 */
export async function* framesOf({ body, silenceMaxMs, onRetry }: FrameSource): AsyncGenerator<JournalFrame, void> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onRetry,
    maxBufferSize: frameLengthMax,
    onError: (error) => {
      // Fields that are unknown are to be ignored (the SSE standard).
      if (error.type === 'max-buffer-size-exceeded') throw new GarbledStream(error.message);
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(silenceMaxMs, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const message of messages.splice(0)) yield frameOf(message);
    }
  } finally {
    // It may be broken already, which is why it ends.
    void reader.cancel().catch(() => undefined);
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

function frameOf({ data }: EventSourceMessage): JournalFrame {
  const frame = parseJson(data);
  if (typeof frame !== 'object' || frame === null || !('payload' in frame)) throw new GarbledStream('no journal frame');
  const { payload } = frame;
  const isTyped =
    typeof payload === 'object' && payload !== null && 'type' in payload && typeof payload.type === 'string';
  const delivery = 'delivery' in frame ? frame.delivery : undefined;
  const isNumbered = 'seq' in frame && Number.isSafeInteger(frame.seq);
  if (!isTyped || !(delivery === 'live' || (delivery === 'durable' && isNumbered))) {
    throw new GarbledStream('no journal frame');
  }
  // Reason for the assertion: `delivery` and `type` tell the frames apart, and what else they have is the service's contract.
  return frame as JournalFrame;
}

function parseJson(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return value;
  } catch (error) {
    throw new GarbledStream('no JSON', { cause: error });
  }
}
