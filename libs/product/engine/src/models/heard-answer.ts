import type { JsonValue } from '@app/kernel';
import { ModelFailed, type AnswerEnding, type ModelReply, type ShowPiece } from '../model';
import { textWithin } from '../text-within';
import { storableText } from './answer-values';
import { estimatedTokens } from './cost';
import type { AnswerPart, TokenUsage } from './provider';

/** Text and the inputs of calls, as UTF-8. */
const answerBytesMax = 256 * 1024;
/** Of reasoning, as JSON, which is shown so far and no further; it is paid for all the same. */
const reasoningBytesMax = 64 * 1024;
const betweenThoughts = '\n\n';
const callsMax = 64;
/** No answer has more bytes for each of its tokens. One that has was not limited as it was asked to be, and is stopped. */
const bytesPerTokenMax = 32;

/** What has come of an answer so far, however it ends: what was said was shown, and what was begun is paid for. */
export class HeardAnswer {
  /** Whether its output limit has cut it. */
  cut = false;
  readonly calls: { readonly tool: string; readonly input: JsonValue }[] = [];
  private said = '';
  private thought = '';
  private thoughtBytesLeft = reasoningBytesMax;
  private thoughtBlock: string | null = null;
  private usage: TokenUsage | null = null;
  /** What the provider works on now, estimated; 0 where it works on nothing. */
  private promptTokens = 0;
  /** What it was sent in attempts that we left before a word, estimated: they are paid for too. */
  private leftTokens = 0;
  private answerBytes = 0;
  private arrivedBytes = 0;
  private arrivedBytesMax = Infinity;
  private lastWasCall = false;
  private uncounted = 0;
  /** What the provider sent and is not read. */
  skipped: readonly string[] = [];

  constructor(
    private readonly model: string,
    /** Whether what the model thinks is kept and shown. */
    private readonly keepsReasoning: boolean,
    private readonly onPiece: ShowPiece,
  ) {}

  /** Null where nothing was said. */
  get text(): string | null {
    return this.said === '' ? null : storableText(this.said);
  }

  /** What it thought, as far as it was shown; null where that was nothing. */
  reasoningUntil(ending: AnswerEnding): ModelReply['reasoning'] {
    if (this.thought.trim() === '') return null;
    const isBrokenOff = ending !== 'whole' && this.said === '' && this.calls.length === 0;
    return { text: storableText(this.thought), truncated: isBrokenOff || this.thoughtBytesLeft < 0 };
  }

  /** Whether the provider has begun to work on an answer, and is paid for it. */
  get begun(): boolean {
    return this.promptTokens + this.leftTokens > 0;
  }

  /** Whether the provider said what it counted. */
  get isCounted(): boolean {
    return this.usage !== null;
  }

  /** What the provider counted, or an estimate of what it was sent and what arrived; an estimate for what was left on top. */
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

  /** The estimated usage of the attempts that we left. */
  get left(): TokenUsage {
    return { inputTokens: this.leftTokens, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 };
  }

  /** @param tokensMax the output limit that the provider is sent; null: none */
  limitOutput(tokensMax: number | null): void {
    this.arrivedBytesMax = tokensMax === null ? Infinity : tokensMax * bytesPerTokenMax;
  }

  /** The provider works on what it was sent. */
  markAccepted(promptTokens: number): void {
    this.promptTokens = promptTokens;
  }

  /** It gave up before it said anything, which is not billed. */
  markGivenUp(): void {
    this.promptTokens = 0;
  }

  /** We waited no longer, or were stopped: the provider bills what it was sent. */
  markLeft(): void {
    this.leftTokens += this.promptTokens;
    this.promptTokens = 0;
  }

  /** Throws ProviderTrouble or ModelFailed where the part is the end of what can be used. */
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

  private end({ usage, uncounted, skipped, cut, trouble }: Extract<AnswerPart, { kind: 'end' }>): void {
    this.usage = usage;
    this.uncounted = uncounted;
    this.skipped = skipped;
    this.cut = cut;
    if (trouble !== null) throw trouble;
    // The limit cuts what comes last, and it is unknown what a truncated call was going to be.
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
    // What does not fit whole is the last that is shown.
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
