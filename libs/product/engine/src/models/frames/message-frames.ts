import type { JsonObject, JsonValue } from '@app/kernel';
import { endingOf } from './endings';
import { listIn, nameIn, objectIn, wordsIn, type Counts, type FrameNotes, type FrameReader } from './frame-notes';
import { MessageBlocks } from './message-blocks';

/** Blocks and deltas that are known to carry no words of the answer. */
const silent: readonly string[] = ['redacted_thinking', 'signature_delta', 'citations_delta', 'ping'];

/** Messages as Anthropic's API sends them. Source: docs/providers.md, which lists its members. */
export class MessageFrames implements FrameReader {
  ended = false;
  private isStarted = false;
  private isFinished = false;
  private readonly blocks: MessageBlocks;

  constructor(private readonly notes: FrameNotes) {
    this.blocks = new MessageBlocks(() => notes.skip('a call that came again'));
  }

  isAnswer({ type, content, error }: JsonObject): boolean {
    return (type === 'message' && Array.isArray(content)) || type === 'error' || objectIn(error) !== null;
  }

  read(frame: JsonObject): readonly JsonObject[] {
    const frames = this.framesOf(frame);
    if (frames.length === 0 || this.isStarted || frames.some(({ type }) => type === 'error')) return frames;
    this.isStarted = true;
    return [messageStart, ...frames];
  }

  /** An answer whose ending was reported is whole, even if its last frame is missing. */
  end(): readonly JsonObject[] {
    if (!this.isFinished || this.ended) return [];
    return [...this.blocks.stopAll(), { type: 'message_stop' }];
  }

  private framesOf(frame: JsonObject): readonly JsonObject[] {
    const { type, index, content_block: block, delta, message } = frame;
    switch (nameIn(type)) {
      case 'message_start':
        return this.readMessage(objectIn(message) ?? {});
      case 'message':
        return [...this.readMessage(frame), ...this.readEnd(frame, frame), ...this.stop()];
      case 'content_block_start':
        return this.readStart(index, objectIn(block) ?? {});
      case 'content_block_delta':
        return this.readDelta(index, objectIn(delta) ?? {});
      case 'content_block_stop':
        return this.blocks.stop(index);
      case 'message_delta':
        return this.readEnd(frame, objectIn(delta) ?? {});
      case 'message_stop':
        return this.stop();
      case 'error':
        return [{ type: 'error', error: errorIn(frame) }];
      default:
        return this.readUnknown(frame);
    }
  }

  private readUnknown(frame: JsonObject): readonly JsonObject[] {
    if (objectIn(frame['error']) !== null) return [{ type: 'error', error: errorIn(frame) }];
    const kind = wordsIn(frame['type']) ?? 'no kind';
    if (!silent.includes(kind)) this.notes.skip(`frames of ${kind}`);
    return [];
  }

  /** Puts words that the message itself contains before those of its blocks. */
  private readMessage({ usage, content, model }: JsonObject): readonly JsonObject[] {
    this.notes.nameModel(model);
    this.notes.count(countsIn(usage));
    const frames = listIn(content).flatMap((block, at) => {
      const index = `whole ${at}`;
      return [...this.readStart(index, objectIn(block) ?? {}), ...this.blocks.stop(index)];
    });
    if (this.isStarted || frames.length > 0) return frames;
    this.isStarted = true;
    return [messageStart];
  }

  private readStart(index: JsonValue | undefined, block: JsonObject): readonly JsonObject[] {
    const { type, text, thinking, name, id, input } = block;
    if (type === 'text') return this.say(index, 'text', wordsIn(text) ?? '');
    if (type === 'thinking') return this.say(index, 'thinking', wordsIn(thinking) ?? '');
    if (type === 'tool_use' && wordsIn(name) !== null)
      return this.blocks.startCall(index, { id: wordsIn(id), name: wordsIn(name) ?? '', input: inputIn(input) });
    if (!silent.includes(nameIn(type))) this.notes.skip(`blocks of type ${nameIn(type)}`);
    this.blocks.pass(index);
    return [];
  }

  private readDelta(index: JsonValue | undefined, delta: JsonObject): readonly JsonObject[] {
    const { type, text, thinking, partial_json: json } = delta;
    if (this.blocks.isPassed(index)) return [];
    if (type === 'text_delta') return this.say(index, 'text', wordsIn(text) ?? '');
    if (type === 'thinking_delta') return this.say(index, 'thinking', wordsIn(thinking) ?? '');
    if (type === 'input_json_delta' && typeof json === 'string') {
      this.notes.hear(json);
      const frames = this.blocks.addInput(index, json);
      if (frames === null) this.notes.skip('input of no call');
      return frames ?? [];
    }
    if (!silent.includes(nameIn(type))) this.notes.skip(`deltas of type ${nameIn(type)}`);
    return [];
  }

  private say(index: JsonValue | undefined, kind: 'text' | 'thinking', text: string): readonly JsonObject[] {
    this.notes.hear(text);
    return this.blocks.say(index, kind, text);
  }

  private readEnd({ usage }: JsonObject, { stop_reason: reason }: JsonObject): readonly JsonObject[] {
    this.notes.count(countsIn(usage));
    const told = wordsIn(reason);
    if (told === null) return [];
    this.isFinished = true;
    const ending = endingOf(told);
    if (ending === 'unknown') this.notes.skip(`the ending ${told}`);
    const delta = {
      stop_reason: ending === null || ending === 'unknown' ? told : endings[ending],
      stop_sequence: null,
    };
    return [...this.blocks.stopAll(), { type: 'message_delta', delta, usage: { output_tokens: 0 } }];
  }

  private stop(): readonly JsonObject[] {
    if (this.ended) return [];
    this.ended = true;
    return [...this.blocks.stopAll(), { type: 'message_stop' }];
  }
}

/** Endings in Anthropic's words; `error` is none of them. */
const endings = { length: 'max_tokens', content_filter: 'refusal', error: 'error' } as const;

/** Counts are taken from the frames themselves. */
const messageStart: JsonObject = {
  type: 'message_start',
  message: { role: 'assistant', content: [], usage: { input_tokens: 0, output_tokens: 0 } },
};

/** Anthropic counts input that its cache held, or that it wrote there, apart from the other input. */
function countsIn(usage: JsonValue | undefined): Counts {
  const counted = objectIn(usage);
  if (counted === null) return {};
  const { input_tokens: fresh, output_tokens: output } = counted;
  const { cache_read_input_tokens: cached, cache_creation_input_tokens: written } = counted;
  const all = [fresh, cached, written].filter((count) => typeof count === 'number');
  const input = typeof fresh === 'number' ? all.reduce((sum, count) => sum + count, 0) : undefined;
  return { input, output, cached, written };
}

function inputIn(input: JsonValue | undefined): string {
  if (typeof input === 'string') return input;
  const given = objectIn(input);
  return given === null || Object.keys(given).length === 0 ? '' : JSON.stringify(given);
}

function errorIn(frame: JsonObject): JsonObject {
  const { error, message: outer } = frame;
  const { type, message } = objectIn(error) ?? {};
  const words = wordsIn(message) ?? wordsIn(error) ?? wordsIn(outer) ?? JSON.stringify(frame);
  return { type: wordsIn(type) ?? 'api_error', message: words };
}
