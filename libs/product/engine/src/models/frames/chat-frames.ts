import type { JsonObject, JsonValue } from '@app/kernel';
import { CallPieces } from './chat-calls';
import { contentPieces, type Piece } from './chat-content';
import { endingOf } from './endings';
import { isEmpty, listIn, objectIn, wordsIn, type Counts, type FrameNotes, type FrameReader } from './frame-notes';

/** Members that carry no words of the answer, or repeat those of another; skipping them is not noted. */
const framing: readonly string[] = [
  'role',
  'content',
  'reasoning',
  'reasoning_content',
  'reasoning_text',
  'thinking',
  'reasoning_details',
  'thinking_blocks',
  'refusal',
  'audio',
  'tool_calls',
  'function_call',
  'annotations',
  'citations',
];
const ambiguous: Piece = { kind: 'error', message: 'a piece of a call names none of several calls' };

/** Chat completions as OpenAI-compatible servers send them. Source: docs/providers.md, which lists its members. */
export class ChatFrames implements FrameReader {
  readonly ended = false;
  private said = '';
  private hasDeltas = false;
  private hasThought = false;
  /** The first ending that says more than that the answer is over; a later one does not replace it. */
  private telling: string | null = null;
  private readonly calls: CallPieces;

  constructor(private readonly notes: FrameNotes) {
    this.calls = new CallPieces(notes);
  }

  isAnswer(body: JsonObject): boolean {
    return (
      errorIn(body) !== null ||
      listIn(body['choices']).some((choice) => objectIn(objectIn(choice)?.['message']) !== null)
    );
  }

  read(frame: JsonObject): readonly JsonObject[] {
    const error = errorIn(frame);
    if (error !== null) return [{ error }];
    const choices = listIn(frame['choices']).flatMap<JsonObject>((choice) => objectIn(choice) ?? []);
    if (choices.length === 0 && !('choices' in frame) && !('usage' in frame)) this.notes.skip(kindOf(frame));
    const frames = choices.flatMap((choice, at) => this.readChoice(choice, at));
    this.notes.nameModel(frame['model']);
    this.notes.count(countsIn(frame, choices));
    return frames;
  }

  end(): readonly JsonObject[] {
    return this.framesOf(this.calls.finish().map(callPiece));
  }

  /** Choices without a number, or with the same one, are parts of one answer. */
  private readChoice(choice: JsonObject, at: number): readonly JsonObject[] {
    const { index, delta, message, text, finish_reason: finish } = choice;
    const number = index === undefined || index === null ? at : Number(index);
    if (number !== 0) {
      this.notes.skip('choices other than the first');
      return [];
    }
    const speaker = objectIn(delta);
    const whole = objectIn(message);
    const frames = speaker === null ? [] : this.framesOf(this.piecesOf(speaker));
    this.hasDeltas ||= frames.length > 0;
    if (whole !== null)
      frames.push(...this.framesOf(this.remainderOf(whole, speaker !== null || wordsIn(finish) !== null)));
    if (speaker === null && whole === null && wordsIn(text) !== null)
      frames.push(...this.framesOf([{ kind: 'content', text: wordsIn(text) ?? '' }]));
    // A gateway's error about its upstream ends the answer, whichever ending it names.
    const error = isEmpty(choice['error']) ? null : errorIn({ error: choice['error'] ?? null });
    return error === null ? [...frames, ...this.finishFrames(finish)] : [...frames, { error }];
  }

  private piecesOf(speaker: JsonObject): Piece[] {
    for (const [name, value] of Object.entries(speaker))
      if (!framing.includes(name) && !isEmpty(value)) this.notes.skip(`the member ${name}`);
    const pieces = contentPieces(speaker, this.notes);
    return [...pieces, ...this.calls.read(speaker).map(callPiece)];
  }

  /**
   * Handles a message where a piece is expected: some servers send it in place of pieces, others in addition, with or after them. After
   * deltas, one that accompanies a delta or has an ending is the whole answer; the repeated part is left out, whatever space it trims.
   */
  private remainderOf(message: JsonObject, isWhole: boolean): Piece[] {
    const pieces = this.calls.any ? contentPieces(message, this.notes) : this.piecesOf(message);
    const fresh = pieces.filter(({ kind }) => kind !== 'reasoning' || !this.hasDeltas || !this.hasThought);
    const text = fresh.map((piece) => (piece.kind === 'content' ? piece.text : '')).join('');
    if (text === '' || this.said === '' || (!isWhole && !this.hasDeltas)) return fresh;
    const rest = textBeyond(this.said, text);
    if (rest === null && !(isWhole && this.hasDeltas)) return fresh;
    if (rest === null) this.notes.skip('a message that differs from its pieces');
    const others = fresh.filter(({ kind }) => kind !== 'content');
    return rest === null || rest === '' ? others : [...others, { kind: 'content', text: rest }];
  }

  private framesOf(pieces: readonly Piece[]): JsonObject[] {
    return pieces.map((piece) => {
      if (piece.kind === 'error') return { error: { message: piece.message } };
      if (piece.kind === 'call') return frameOf({ tool_calls: [piece.call] });
      this.notes.hear(piece.text);
      if (piece.kind === 'reasoning') {
        this.hasThought = true;
        return frameOf({ reasoning_content: piece.text });
      }
      this.said += piece.text;
      return frameOf({ content: piece.text });
    });
  }

  private finishFrames(finish: JsonValue | undefined): JsonObject[] {
    const reason = wordsIn(finish);
    if (reason === null) return [];
    const ending = endingOf(reason);
    if (ending === 'unknown') this.notes.skip(`the ending ${reason}`);
    const isKnown = ending !== null && ending !== 'unknown';
    this.telling ??= isKnown ? ending : null;
    return [...this.end(), frameOf({}, this.telling ?? reason)];
  }
}

function callPiece(call: JsonObject | null): Piece {
  return call === null ? ambiguous : { kind: 'call', call };
}

/** Returns a whole text without the beginning that was already received; null if it begins differently. Servers trim what they repeat. */
function textBeyond(said: string, whole: string): string | null {
  if (whole.startsWith(said)) return whole.slice(said.length);
  const text = whole.trimStart();
  const beginning = [said.trimStart(), said.trim()].find((one) => text.startsWith(one));
  return beginning === undefined ? null : text.slice(beginning.length);
}

function frameOf(delta: JsonObject, finish: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** Reads an error in OpenAI's format (`error`), or in that of vLLM and proxies; null if the frame is none. */
function errorIn(frame: JsonObject): JsonObject | null {
  const { error, object, type, message, detail } = frame;
  if (isEmpty(error) && object !== 'error' && type !== 'error') return null;
  const told = objectIn(error) ?? frame;
  const words =
    wordsIn(error) ?? wordsIn(told['message']) ?? wordsIn(message) ?? wordsIn(detail) ?? JSON.stringify(error ?? frame);
  const code = told['code'] ?? told['status'];
  return { message: words, ...(typeof code === 'number' || typeof code === 'string' ? { code } : {}) };
}

/** The counts of a frame: its own, Groq's, or those that Moonshot puts into the choice. */
function countsIn(frame: JsonObject, choices: readonly JsonObject[]): Counts {
  const places = [frame['usage'], objectIn(frame['x_groq'])?.['usage'], ...choices.map(({ usage }) => usage)];
  const usage = places.map(objectIn).find((place) => place !== null && !isEmpty(place));
  if (usage === undefined || usage === null) return {};
  const prompt = objectIn(usage['prompt_tokens_details'] ?? usage['input_tokens_details']) ?? {};
  const completion = objectIn(usage['completion_tokens_details'] ?? usage['output_tokens_details']) ?? {};
  return {
    input: usage['prompt_tokens'] ?? usage['input_tokens'],
    output: usage['completion_tokens'] ?? usage['output_tokens'],
    total: usage['total_tokens'],
    cached: prompt['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
    reasoning: completion['reasoning_tokens'],
  };
}

function kindOf({ type, object }: JsonObject): string {
  return `frames of ${wordsIn(type) ?? wordsIn(object) ?? 'no kind'}`;
}
