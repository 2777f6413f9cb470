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

/** An external API and how it is called. */
export interface Api {
  /** For the log. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Consecutive failures that open the breaker, which then refuses calls for `breakerOpenMs`. */
  readonly breakerFailures: number;
  readonly breakerOpenMs: number;
  /** How many times an unanswered, repeatable call is repeated. */
  readonly repeatsMax: number;
}

export interface Call {
  /** The name of the call, for the log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Whether it is repeated if it was not answered. */
  readonly repeatable: boolean;
}

export interface Answer {
  readonly status: number;
  /** Numbers in it are `LosslessNumber`s, which keep every digit. */
  readonly body: unknown;
  /** The exact body. */
  readonly text: string;
}

const answerBytesMax = 4 * 1024 * 1024;
const repeatAfterMs = 100;
const loggedWordsMax = 500;
/** Statuses that mean that the server is in trouble, so that there is no answer to the call. */
const noAnswer = (status: number): boolean => status >= 500 || [408, 429].includes(status);
/** Statuses that mean that the server works but rejects this deployment's token. */
const noEntry = (status: number): boolean => [401, 403].includes(status);

/** Calls an API over HTTP, with a timeout, a bounded answer, repeats where they are harmless, and a circuit breaker. */
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

  /** Whether calls are currently refused, because too many in a row were not answered. */
  get isOpen(): boolean {
    return this.breaker.state === CircuitState.Open;
  }

  /**
   * Returns the result of `read` for the answer. `read` judges every status below 500, and throws Malformed for an
   * answer that it cannot understand. @throws Unavailable (`provider_unavailable`) without an answer that `read`
   * understands; the API's own words go only to the log.
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

/** Appends the error's cause, because fetch puts the actual failure there. */
function withCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `, ${error.cause.message}` : '';
  return `${String(error)}${cause}`;
}

/** The failure of a single call must not open the breaker for all calls. */
function isOutage(error: unknown): boolean {
  return error instanceof Unavailable && !(error.cause instanceof CallFailed);
}

function unavailable(cause: unknown): Unavailable {
  return new Unavailable('wallet provider', { cause, reason: 'provider_unavailable' });
}
