import { Logger } from '@nestjs/common';
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleType,
  handleWhen,
  isBrokenCircuitError,
  retry,
  wrap,
} from 'cockatiel';
import { parse } from 'lossless-json';
import { Unavailable } from '@app/kernel';
import { bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import { CallFailed, Malformed } from './reading';

/** One API on the other side. */
export interface Api {
  /** For the log. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Consecutive failures that open the breaker, which then refuses calls for `breakerOpenMs`. */
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** How often a repeatable call that was not answered is asked again. */
  readonly repeatsMax: number;
}

export interface Call {
  /** What is asked, for the log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Whether it is asked again when it was not answered. */
  readonly repeatable: boolean;
}

export interface Answer {
  readonly status: number;
  /** Numbers in it are `LosslessNumber`s: they keep every digit. */
  readonly body: unknown;
  /** The body to the letter. */
  readonly text: string;
}

const answerBytesMax = 4 * 1024 * 1024;
const repeatAfterMs = 100;
const loggedWordsMax = 500;
/** Answers that say that the other side is in trouble: no answer to the question. */
const noAnswer = (status: number): boolean => status >= 500 || [408, 429].includes(status);
/** The other side is well, and does not take this deployment's token. */
const noEntry = (status: number): boolean => [401, 403].includes(status);

/** Asks an API over HTTP, with a time-out, a bounded answer, repeats where they are harmless, and a circuit breaker. */
export class JsonHttp {
  private readonly logger: Logger;
  private readonly breaker;
  private readonly patient;

  constructor(readonly api: Api) {
    this.logger = new Logger(`${JsonHttp.name}(${api.name})`);
    this.breaker = circuitBreaker(handleWhen(isOutage), {
      halfOpenAfter: api.breakerOpenMs,
      breaker: new ConsecutiveBreaker(api.breakerFailures),
    });
    const repeating = retry(handleType(Unavailable), {
      maxAttempts: api.repeatsMax,
      backoff: new ExponentialBackoff({ initialDelay: repeatAfterMs }),
    });
    this.patient = wrap(repeating, this.breaker);
  }

  /** Whether nothing is asked at present, since too many calls in a row were not answered. */
  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open;
  }

  /**
   * What `read` makes of the answer. `read` judges every status below 500, and throws Malformed for an answer that it cannot understand.
   * @throws Unavailable (`provider_unavailable`) without an answer that `read` understands; the other side's words go to the log only.
   */
  async ask<T>(call: Call, read: (answer: Answer) => T): Promise<T> {
    const policy = call.repeatable ? this.patient : this.breaker;
    try {
      return await policy.execute(async () => this.askOnce(call, read));
    } catch (error) {
      if (isBrokenCircuitError(error)) throw unavailable(error);
      throw error;
    }
  }

  private async askOnce<T>(call: Call, read: (answer: Answer) => T): Promise<T> {
    try {
      const answer = await this.fetchAnswer(call);
      return read(answer);
    } catch (error) {
      this.logger.warn(`${call.name}: ${withCause(error)}`);
      throw unavailable(error);
    }
  }

  private async fetchAnswer(call: Call): Promise<Answer> {
    const response = await fetchWithoutRedirects(`${this.api.url}${call.path}`, {
      method: call.method,
      headers: { ...this.api.headers, ...(call.body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(call.body === undefined ? {} : { body: call.body }),
      signal: AbortSignal.timeout(this.api.timeoutMs),
    });
    const text = (await bodyWithin(response, answerBytesMax)).toString('utf8');
    if (noEntry(response.status)) throw new CallFailed(`status ${response.status}: the token is not taken`);
    if (noAnswer(response.status)) throw new Malformed(`status ${response.status}: ${text.slice(0, loggedWordsMax)}`);
    return { status: response.status, body: parse(text), text };
  }
}

/** What fetch failed of is in its error's cause. */
function withCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return `${String(error)}${cause}`;
}

/** What one call fails of must not stop the calls of everybody. */
function isOutage(error: unknown): boolean {
  return error instanceof Unavailable && !(error.cause instanceof CallFailed);
}

function unavailable(cause: unknown): Unavailable {
  return new Unavailable('wallet provider', { cause, reason: 'provider_unavailable' });
}
