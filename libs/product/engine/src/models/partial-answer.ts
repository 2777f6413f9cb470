import type { JsonValue } from '@app/kernel';
import { ModelFailed, type AnswerEnding, type ModelReply, type ShowPiece } from './model';
import { storableText, textWithin } from './answer-values';
import { estimatedTokens } from './cost';
import type { AnswerPart, TokenUsage } from './provider';

/** Most bytes of text and of the inputs of calls, as UTF-8. */
const answerBytesMax = 256 * 1024;
/** Most bytes of reasoning, as JSON; more is not shown, but is paid for all the same. */
const reasoningBytesMax = 64 * 1024;
const betweenThoughts = '\n\n';
const callsMax = 64;
/** No answer has more bytes for each of its tokens. One that has did not respect the limit that was sent, and is stopped. */
const bytesPerTokenMax = 32;

/** The part of an answer that has arrived, however it ends: received words were shown, and a begun answer is paid for. */
export class PartialAnswer {
  /** Whether its output limit has cut it. */
  cut = false;
  readonly calls: { readonly tool: string; readonly input: JsonValue }[] = [];
  private said = '';
  private thought = '';
  private thoughtBytesLeft = reasoningBytesMax;
  private thoughtBlock: string | null = null;
  private usage: TokenUsage | null = null;
  /** Estimated tokens of the prompt that the provider works on now; 0 if none. */
  private promptTokens = 0;
  /** Estimated input tokens of attempts that we abandoned before any output; they are billed too. */
  private leftTokens = 0;
  private answerBytes = 0;
  private arrivedBytes = 0;
  private arrivedBytesMax = Infinity;
  private lastWasCall = false;
  private uncounted = 0;
  /** Kinds of frames and members that the provider sent and that are not read. */
  skipped: readonly string[] = [];
  /** The model that the provider says has answered; null if it names none, and before the end. */
  servedModel: string | null = null;

  constructor(
    private readonly model: string,
    /** Whether the model's reasoning is kept and shown. */
    private readonly keepsReasoning: boolean,
    private readonly onPiece: ShowPiece,
  ) {}

  /** Null if there was no text. */
  get text(): string | null {
    return this.said === '' ? null : storableText(this.said);
  }

  /** The reasoning, as far as it was shown; null if there was none. */
  reasoningUntil(ending: AnswerEnding): ModelReply['reasoning'] {
    if (this.thought.trim() === '') return null;
    const isBrokenOff = ending !== 'whole' && this.said === '' && this.calls.length === 0;
    return { text: storableText(this.thought), truncated: isBrokenOff || this.thoughtBytesLeft < 0 };
  }

  /** Whether the provider has begun to work on an answer, and is paid for it. */
  get begun(): boolean {
    return this.promptTokens + this.leftTokens > 0;
  }

  /** Whether the provider reported its counts. */
  get isCounted(): boolean {
    return this.usage !== null;
  }

  /** The provider's counts, or an estimate from the prompt and from what arrived; plus an estimate for abandoned attempts. */
  get counted(): TokenUsage & { readonly estimated: boolean } {
    const { usage, leftTokens, uncounted } = this;
    if (usage !== null) {
      const inputTokens = usage.inputTokens + leftTokens;
      const outputTokens = usage.outputTokens + uncounted;
      return { ...usage, inputTokens, outputTokens, estimated: leftTokens + uncounted > 0 };
    }
    const outputTokens = estimatedTokens(this.arrivedBytes);
    const none = { cachedInputTokens: 0, cacheWriteTokens: 0 };
    return { inputTokens: this.promptTokens + leftTokens, outputTokens, ...none, estimated: true };
  }

  /** The estimated usage of the abandoned attempts. */
  get left(): TokenUsage {
    return { inputTokens: this.leftTokens, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 };
  }

  /** @param tokensMax the output limit that is sent to the provider; null: none */
  limitOutput(tokensMax: number | null): void {
    this.arrivedBytesMax = tokensMax === null ? Infinity : tokensMax * bytesPerTokenMax;
  }

  /** The provider works on the prompt. */
  markAccepted(promptTokens: number): void {
    this.promptTokens = promptTokens;
  }

  /** The provider gave up before any output, which is not billed. */
  markGivenUp(): void {
    this.promptTokens = 0;
  }

  /** We stopped waiting, or were stopped: the provider bills the prompt. */
  markLeft(): void {
    this.leftTokens += this.promptTokens;
    this.promptTokens = 0;
  }

  /** Throws ProviderTrouble or ModelFailed if nothing after this part can be used. */
  add(part: AnswerPart): void {
    switch (part.kind) {
      case 'begun':
        break;
      case 'unseen':
        this.arrive(part.bytes);
        break;
      case 'reasoning':
        this.arrive(Buffer.byteLength(part.text));
        if (this.keepsReasoning) this.think(part);
        break;
      case 'text':
        this.lastWasCall = false;
        this.weigh(part.text);
        this.said += part.text;
        this.onPiece(part.text.replaceAll('\u0000', '\ufffd'), 'text');
        this.arrive(Buffer.byteLength(part.text));
        break;
      case 'call':
        this.lastWasCall = true;
        this.weigh(JSON.stringify(part.input));
        this.calls.push({ tool: storableText(part.tool), input: part.input });
        if (this.calls.length > callsMax)
          throw new ModelFailed('too_long', `${this.model}: more than ${callsMax} calls in a step`);
        break;
      case 'end':
        this.end(part);
    }
  }

  private end({ model, usage, uncounted, skipped, cut, trouble }: Extract<AnswerPart, { kind: 'end' }>): void {
    this.servedModel = model;
    this.usage = usage;
    this.uncounted = uncounted;
    this.skipped = skipped;
    this.cut = cut;
    if (trouble !== null) throw trouble;
    // The limit cuts the last part, and it is unknown how a truncated call would have continued.
    const lost = cut && this.lastWasCall ? this.calls.pop() : undefined;
    if (this.calls.length > 0) return;
    if (lost !== undefined) throw new ModelFailed('cut_off', `${this.model}: the output limit cut the only call`);
    if (this.said.trim() === '')
      throw new ModelFailed('empty', `${this.model}: an answer without text and calls${cut ? ', cut' : ''}`);
  }

  private think({ block, text }: Extract<AnswerPart, { kind: 'reasoning' }>): void {
    const isNext = this.thoughtBlock !== null && this.thoughtBlock !== block && this.thought !== '';
    this.thoughtBlock = block;
    const piece = isNext ? betweenThoughts + text : text;
    const shown = textWithin(piece, this.thoughtBytesLeft);
    // A piece that does not fit whole is the last that is shown.
    this.thoughtBytesLeft = shown === piece ? this.thoughtBytesLeft - Buffer.byteLength(JSON.stringify(piece)) + 2 : -1;
    this.thought += shown;
    if (shown !== '') this.onPiece(shown.replaceAll('\u0000', '\ufffd'), 'reasoning');
  }

  private arrive(bytes: number): void {
    this.arrivedBytes += bytes;
    if (this.arrivedBytes <= this.arrivedBytesMax) return;
    const trouble = this.arrivedBytes > answerBytesMax ? 'too_long' : 'out_of_budget';
    throw new ModelFailed(trouble, `${this.model}: an answer far beyond the output limit that was sent`);
  }

  private weigh(text: string): void {
    this.answerBytes += Buffer.byteLength(text);
    if (this.answerBytes > answerBytesMax)
      throw new ModelFailed('too_long', `${this.model}: an answer of more than ${answerBytesMax} bytes`);
  }
}
