import { isJsonObject, parsedJson, type JsonObject } from '@app/kernel';
import { createParser } from 'eventsource-parser';
import type { FrameNotes, FrameReader } from './frame-notes';

/** How long to read on once the answer has ended; a server that keeps its connection open is left then. */
const graceMs = 300;
/** OpenAI's last frame. */
const done = '[DONE]';

/** The data of a stream's events, as the SDK reads it again. */
const eventOf = (data: string): string => `data: ${data}\n\n`;

/**
 * Rewrites the body of an answer to what the SDK knows: drops frames that carry no answer, moves words from other places to where the SDK
 * reads them, and ends the body with the answer. A body that is a whole answer rather than a stream is converted to one.
 */
export function readFrames(
  body: ReadableStream<Uint8Array>,
  reader: FrameReader,
  notes: FrameNotes,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const rewritten = new RewrittenFrames(reader, notes);
  let grace: NodeJS.Timeout | undefined;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(encoder.encode(rewritten.take(chunk)));
        if (rewritten.ended) grace ??= setTimeout(() => controller.terminate(), graceMs).unref();
      },
      flush(controller) {
        clearTimeout(grace);
        controller.enqueue(encoder.encode(rewritten.finish()));
      },
    }),
  );
}

class RewrittenFrames {
  ended = false;
  private readonly decoder = new TextDecoder();
  private readonly parser = createParser({ onEvent: ({ data }) => this.readEvent(data) });
  private out = '';
  /** The text of a body that is no stream of events; null for one that is, and before its first character. */
  private plain: string | null = null;
  private begun = false;

  constructor(
    private readonly reader: FrameReader,
    private readonly notes: FrameNotes,
  ) {}

  take(chunk: Uint8Array): string {
    return this.feed(this.decoder.decode(chunk, { stream: true }));
  }

  finish(): string {
    this.feed(this.decoder.decode());
    if (this.plain !== null) this.readPlain(this.plain);
    else this.parser.feed('\n\n'); // a last event may lack its end
    if (!this.ended) this.say(this.reader.end());
    return this.taken();
  }

  private feed(text: string): string {
    if (!this.begun && text.trim() !== '') {
      this.begun = true;
      this.plain = /^\s*[[{]/.test(text) ? '' : null;
    }
    if (this.plain !== null) this.plain += text;
    else this.parser.feed(text);
    return this.taken();
  }

  private taken(): string {
    const { out } = this;
    this.out = '';
    return out;
  }

  private readEvent(data: string): void {
    const text = data.trim();
    if (text === '') return;
    if (text === done) return this.endAnswer();
    const frame = parsedJson(text);
    if (isJsonObject(frame)) return this.readFrame(frame);
    // A piece of the answer that cannot be parsed: the SDK reports it.
    if (frame === undefined && text.startsWith('{')) this.out += eventOf(text);
    else this.notes.skip('frames that are no JSON objects');
  }

  private readFrame(frame: JsonObject): void {
    const frames = this.reader.read(frame);
    if (!this.ended) this.say(frames);
    else if (frames.length > 0) this.notes.skip('what came after the end');
    if (this.reader.ended) this.close();
  }

  private readPlain(text: string): void {
    const answer = parsedJson(text);
    if (isJsonObject(answer) && this.reader.isAnswer(answer)) this.say(this.reader.read(answer));
  }

  private endAnswer(): void {
    if (!this.ended) this.say(this.reader.end());
    this.close();
  }

  private close(): void {
    this.ended = true;
    this.notes.close();
  }

  private say(frames: readonly JsonObject[]): void {
    this.out += frames.map((frame) => eventOf(JSON.stringify(frame))).join('');
  }
}
