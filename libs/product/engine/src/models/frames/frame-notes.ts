import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { usageOf } from '../answer-values';
import { estimatedTokens } from '../cost';
import type { TokenUsage } from '../provider';

const skippedMax = 16;
const skippedLengthMax = 80;

/** A name of a model as providers write it, with its folder or version; other text is not taken for one. */
const modelNamePattern = /^[\w.:/@-]{1,128}$/;

type CountName = 'input' | 'output' | 'total' | 'cached' | 'written' | 'reasoning';
export type Counts = Readonly<Partial<Record<CountName, JsonValue | undefined>>>;

/** Facts of an answer that a provider's stream reports in addition to its words. */
export class FrameNotes {
  /** Whether the model refused to answer, in words that are shown. */
  declined = false;
  /** The model that the provider says has answered; null if it names none. */
  model: string | null = null;
  private isOver = false;
  private readonly unread = new Set<string>();
  private counts: Partial<Record<CountName, number>> = {};
  private uncountedBytes = 0;

  /** The kinds of frames and members that were skipped, as the provider names them. */
  get skipped(): readonly string[] {
    return [...this.unread];
  }

  /** The usage as reported, or null if it is unusable; and an estimate of the output that arrived after the report. */
  get usage(): { readonly told: TokenUsage | null; readonly uncounted: number } {
    const { input, output, total, cached, written, reasoning } = this.counts;
    return {
      told: usageOf({ input, output, total, cached, written, reasoning }),
      uncounted: estimatedTokens(this.uncountedBytes),
    };
  }

  /** Notes words of the model, which are not part of a count reported before them. */
  hear(text: string): void {
    if (!this.isOver) this.uncountedBytes += Buffer.byteLength(text);
  }

  /**
   * Counts are of the whole answer so far: of several the last is right, but never less than an earlier one. A count of zero output tokens
   * does not include the words before it, because any words are more than zero tokens.
   */
  count(counts: Counts): void {
    for (const [name, value] of Object.entries(counts)) {
      const told = numberOf(value);
      // Reason for the assertion: the entries of counts have no other names.
      if (told !== null) this.counts[name as CountName] = Math.max(told, this.counts[name as CountName] ?? told);
    }
    if ((numberOf(counts.output) ?? 0) > 0) this.uncountedBytes = 0;
  }

  /** Notes the name of the model; the first one counts. */
  nameModel(name: JsonValue | undefined): void {
    if (typeof name === 'string' && modelNamePattern.test(name)) this.model ??= name;
  }

  decline(): void {
    if (!this.isOver) this.declined = true;
  }

  /** Further frames are no part of the answer; only their counts are taken. */
  close(): void {
    this.isOver = true;
  }

  skip(what: string): void {
    if (this.unread.size < skippedMax) this.unread.add(what.slice(0, skippedLengthMax));
  }
}

function numberOf(value: JsonValue | undefined): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Reads the frames of one answer, and translates them to frames that the SDK accepts. */
export interface FrameReader {
  /** Whether the answer has ended; later frames are no part of it. */
  readonly ended: boolean;
  /** Translates one frame. */
  read(frame: JsonObject): readonly JsonObject[];
  /** Returns the last frames, at the end of the stream or of the answer. */
  end(): readonly JsonObject[];
  /** Whether a body that is no stream of events is a whole answer. */
  isAnswer(body: JsonObject): boolean;
}

export function objectIn(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

export function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonList(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Null for an empty text or no text. */
export function wordsIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A name, an id or a number as text; empty for anything else. */
export function nameIn(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Whether a member has no content. */
export function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (isJsonList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
