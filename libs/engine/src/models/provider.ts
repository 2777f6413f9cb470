import type { JsonValue } from '@app/kernel';
import type { ModelRequest } from '../model';
import type { ModelTrouble } from '../model-troubles';

/** What a provider counted. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens its cache held. */
  readonly cachedInputTokens: number;
}

/** A piece of an answer as it comes. */
export type AnswerPart =
  /** `promptTokens` is an estimate of what the provider was sent. */
  | { readonly kind: 'begun'; readonly promptTokens: number }
  /** What no reader is shown: reasoning, and the inputs of calls while they are written. */
  | { readonly kind: 'unseen'; readonly bytes: number }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonValue }
  /** `usage` is null where the provider tells none, `trouble` where the answer can be used; `cut`: the output limit ended it. */
  | {
      readonly kind: 'end';
      readonly usage: TokenUsage | null;
      readonly cut: boolean;
      readonly trouble: ProviderTrouble | null;
    };

/** How one attempt is made. */
export interface Attempt {
  readonly signal: AbortSignal;
  /** Whether the schema of the answer is asked for by the provider's own format. */
  readonly formatted: boolean;
  /** Called once, with the first byte of the answer: until then the provider may have others to serve first. */
  readonly onFirstByte: () => void;
}

/** Somebody else's models, one attempt at a time. */
export interface ModelProvider {
  /** Whether the provider has a format for what is asked. */
  canFormat(request: ModelRequest): boolean;
  /**
   * Asks a model for the next step. The first part comes as soon as the answer begins, and the last one is its end.
   * Throws ProviderTrouble, also when the signal aborts; either way the connection is closed.
   */
  answer(model: string, request: ModelRequest, attempt: Attempt): AsyncGenerator<AnswerPart, void, undefined>;
}

/** Troubles that mean something else once an answer has begun. */
const ofBeginnings: readonly ModelTrouble[] = ['not_reached', 'own_error', 'late'];

/** A provider did not answer, or not to the end; the message may quote its words, for the log. */
export class ProviderTrouble extends Error {
  /**
   * @param trouble in words of ours, for users
   * @param passing whether it may well answer when it is asked again; a queue is not asked again, for that would only make it longer
   * @param retryAfterMs when it wants to be asked again, if it says so
   */
  constructor(
    readonly trouble: ModelTrouble,
    message: string,
    readonly passing: boolean,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }

  /** The same trouble, of an answer that had begun. */
  afterBeginning(): ProviderTrouble {
    if (!ofBeginnings.includes(this.trouble)) return this;
    return new ProviderTrouble('broken_off', this.message, this.passing, this.retryAfterMs);
  }
}
