import type { JsonValue } from '@app/kernel';
import type { ModelRequest } from './model';
import type { ModelTrouble } from './model-troubles';

/** The provider's counts. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens its cache held. */
  readonly cachedInputTokens: number;
  /** How many of the input tokens were written to it. */
  readonly cacheWriteTokens: number;
}

/** A piece of an answer as it arrives. */
export type AnswerPart =
  | { readonly kind: 'begun' }
  /** Bytes that no reader is shown: the inputs of calls while they are written. */
  | { readonly kind: 'unseen'; readonly bytes: number }
  /** The model's reasoning; another `block` begins another thought. */
  | { readonly kind: 'reasoning'; readonly block: string; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonValue }
  /**
   * `usage` is null if the provider reports none, `trouble` if the answer can be used; `cut`: the output limit ended it; `uncounted`:
   * estimated tokens of output that arrived after the usage was reported; `skipped`: kinds of parts that were sent and not read; `model`:
   * the model that the provider says has answered, null if it names none.
   */
  | {
      readonly kind: 'end';
      readonly model: string | null;
      readonly usage: TokenUsage | null;
      readonly uncounted: number;
      readonly skipped: readonly string[];
      readonly cut: boolean;
      readonly trouble: ProviderTrouble | null;
    };

/**
 * A part that a request can do without if a provider refuses it: the answer's schema in the provider's own format, the schemas of the
 * tools' inputs (then given in words), the marks for its cache, the old name of the output limit (then sent under the new one), and the
 * profile's temperature and effort.
 */
export type SparePart = 'format' | 'tool_schemas' | 'cache_marks' | 'max_tokens' | 'temperature' | 'effort';

/** The settings of one attempt. */
export interface Attempt {
  readonly signal: AbortSignal;
  readonly without: ReadonlySet<SparePart>;
  /** Called with the headers of an answer that is not a refusal, and an estimate of the prompt: the provider works from then on. */
  readonly onAccepted: (promptTokens: number) => void;
  /** Called once, with the first byte of the answer: until then the provider may have others to serve first. */
  readonly onFirstByte: () => void;
  /**
   * Returns the most tokens that a prompt of that estimated size may be answered with; null if output is free and no other limit is known.
   * Called before each request is sent. Throws ProviderTrouble, `out_of_budget`, if no useful answer could be paid for; and Unavailable.
   */
  readonly limitOutput: (promptTokens: number) => Promise<number | null>;
}

/** An external provider's models, one attempt at a time. */
export interface ModelProvider {
  /** Returns the spare parts that a request has. */
  sparePartsOf(request: ModelRequest): readonly SparePart[];
  /**
   * Asks a model for the next step. The first part arrives as soon as the answer begins, and the last one is its end. Throws
   * ProviderTrouble, also when the signal aborts; either way the connection is closed.
   */
  answer(model: string, request: ModelRequest, attempt: Attempt): AsyncGenerator<AnswerPart, void, undefined>;
}

/** The output limit that a provider states when it refuses a larger one. */
export interface OutputRoom {
  readonly tokens: number;
  /** The size of the context that prompt and answer share, if the limit follows from that; null if the limit is the model's own. */
  readonly contextTokens: number | null;
}

/** Troubles that mean something else once an answer has begun. */
const ofBeginnings: readonly ModelTrouble[] = ['not_reached', 'own_error', 'late'];

/** A provider did not answer, or did not finish; the message may quote its words, for the log. */
export class ProviderTrouble extends Error {
  /**
   * @param trouble in words of ours, for users
   * @param passing whether another attempt may succeed; a queued request is not repeated, because that would only make the queue longer
   * @param retryAfterMs when the provider asks to be asked again, if it says so
   * @param refused the part of the request that it refused, if it names one, or some schema
   * @param outputRoom the output limit that it accepts in place of the one that it refused
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

  /** The same trouble for an answer that had begun. */
  afterBeginning(): ProviderTrouble {
    if (!ofBeginnings.includes(this.trouble)) return this;
    return new ProviderTrouble('broken_off', this.message, this.passing, this.retryAfterMs);
  }
}
