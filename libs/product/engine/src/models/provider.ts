import type { JsonValue } from '@app/kernel';
import type { ModelRequest } from '../model';
import type { ModelTrouble } from '../model-troubles';

/** What a provider counted. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens its cache held. */
  readonly cachedInputTokens: number;
  /** How many of them were put there. */
  readonly cacheWriteTokens: number;
}

/** A piece of an answer as it comes. */
export type AnswerPart =
  | { readonly kind: 'begun' }
  /** What no reader is shown: the inputs of calls while they are written. */
  | { readonly kind: 'unseen'; readonly bytes: number }
  /** What the model thinks; `block` tells where another thought begins. */
  | { readonly kind: 'reasoning'; readonly block: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonValue }
  /**
   * `usage` is null where the provider tells none, `trouble` where the answer can be used; `cut`: the output limit ended it;
   * `uncounted`: estimated tokens of output that came after the usage was told; `skipped`: what was sent and not read.
   */
  | {
      readonly kind: 'end';
      readonly usage: TokenUsage | null;
      readonly uncounted: number;
      readonly skipped: readonly string[];
      readonly cut: boolean;
      readonly trouble: ProviderTrouble | null;
    };

/**
 * What a request may be made without, where a provider refuses it: the answer's schema in the provider's own format, the schemas of the
 * tools' inputs (then given in words), the marks for its cache, the old name of the output limit (then sent under the new one), and the
 * profile's temperature and effort.
 */
export type SparePart = 'format' | 'tool_schemas' | 'cache_marks' | 'max_tokens' | 'temperature' | 'effort';

/** How one attempt is made. */
export interface Attempt {
  readonly signal: AbortSignal;
  readonly without: ReadonlySet<SparePart>;
  /** Called with the headers of an answer that is not a refusal, and an estimate of what was sent: the provider works from then on. */
  readonly onAccepted: (promptTokens: number) => void;
  /** Called once, with the first byte of the answer: until then the provider may have others to serve first. */
  readonly onFirstByte: () => void;
  /**
   * Returns the most tokens that a prompt of that estimated size may be answered with; null where no number of them costs anything.
   * Called before each request is sent. Throws ProviderTrouble, `out_of_budget`, where nothing useful could be paid for; and Unavailable.
   */
  readonly limitOutput: (promptTokens: number) => Promise<number | null>;
}

/** Somebody else's models, one attempt at a time. */
export interface ModelProvider {
  /** Which of them a request has. */
  sparePartsOf(request: ModelRequest): readonly SparePart[];
  /**
   * Asks a model for the next step. The first part comes as soon as the answer begins, and the last one is its end.
   * Throws ProviderTrouble, also when the signal aborts; either way the connection is closed.
   */
  answer(model: string, request: ModelRequest, attempt: Attempt): AsyncGenerator<AnswerPart, void, undefined>;
}

/** The output limit that a provider names where it refuses a larger one. */
export interface OutputRoom {
  readonly tokens: number;
  /** The size of the context that prompt and answer share, where the limit follows from that; else the limit is the model's own. */
  readonly contextTokens: number | null;
}

/** Troubles that mean something else once an answer has begun. */
const ofBeginnings: readonly ModelTrouble[] = ['not_reached', 'own_error', 'late'];

/** A provider did not answer, or not to the end; the message may quote its words, for the log. */
export class ProviderTrouble extends Error {
  /**
   * @param trouble in words of ours, for users
   * @param passing whether it may well answer when it is asked again; a queue is not asked again, for that would only make it longer
   * @param retryAfterMs when it wants to be asked again, if it says so
   * @param refused what of the request it refused, if it names that: a part, or some schema
   * @param outputRoom the output limit that it takes in place of the one that it refused
   */
  constructor(
    readonly trouble: ModelTrouble,
    message: string,
    readonly passing: boolean,
    readonly retryAfterMs: number | null = null,
    readonly refused: SparePart | 'schemas' | null = null,
    readonly outputRoom: OutputRoom | null = null,
  ) {
    super(message);
  }

  /** The same trouble, of an answer that had begun. */
  afterBeginning(): ProviderTrouble {
    if (!ofBeginnings.includes(this.trouble)) return this;
    return new ProviderTrouble('broken_off', this.message, this.passing, this.retryAfterMs);
  }
}
