import { attemptWhole, attemptStream, type Attempt, type Fetch } from './attempt.js';
import type { Asked, Credentials } from './credentials.js';
import { isReason } from './problems.js';
import { askedDelayMs, jitteredMs, mayRepeat, pause, type RetryPolicy } from './retries.js';

/** Traits of a call that its request does not show. */
export interface CallTraits {
  /** Whether doing it twice has the same effect as doing it once. */
  readonly repeatable: boolean;
  readonly expectsJson: boolean;
  /** Whether it carries the user's token. */
  readonly forUser: boolean;
}

interface PreparedCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: ArrayBuffer | null;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Sends requests with credentials, and repeats them where that is safe. */
export class Transport {
  constructor(
    private readonly fetch: Fetch,
    private readonly credentials: Credentials,
    readonly policy: RetryPolicy,
  ) {}

  /** Returns a success's whole answer. Throws ParleyProblem, ParleyUnreachable, or the signal's reason. */
  async send(request: Request, traits: CallTraits): Promise<Response> {
    const call = await prepareCall(request);
    const giveUpAt = Date.now() + this.policy.totalMs;
    // A fresh token is requested at most once, before the one attempt that follows the refusal.
    let renewal: 'none' | 'next' | 'done' = 'none';
    for (let failures = 0; ;) {
      const renew = renewal === 'next';
      if (renew) renewal = 'done';
      try {
        return await attemptWhole(await this.attempt(call, { renew, forUser: traits.forUser }), traits.expectsJson);
      } catch (error) {
        if (renewal === 'none' && this.isRenewable(error)) {
          renewal = 'next';
          continue;
        }
        const askedMs = askedDelayMs(error);
        const delayMs = askedMs + jitteredMs(this.policy.firstDelayMs, this.policy.delayMaxMs, failures);
        failures += 1;
        const isLast = failures >= this.policy.attempts || Date.now() + delayMs > giveUpAt;
        if (isLast || !mayRepeat(error, traits.repeatable, this.policy)) throw error;
        await pause(delayMs, call.signal);
      }
    }
  }

  /** Opens a stream with one attempt. Throws ParleyProblem, ParleyUnreachable, or the signal's reason. */
  async open(url: string, headers: Headers, signal: AbortSignal, asked: Asked): Promise<ReadableStream<Uint8Array>> {
    const all = new Headers(headers);
    all.set('accept', 'text/event-stream');
    const requestId = requestIdOf(all);
    const call = { url, method: 'GET', headers: all, body: null, requestId, signal };
    return attemptStream(await this.attempt(call, asked), 'text/event-stream');
  }

  /** Whether a fresh token may help. */
  isRenewable(error: unknown): boolean {
    return this.credentials.renewable && isReason(error, 'credential_expired');
  }

  private async attempt(call: PreparedCall, asked: Asked): Promise<Attempt> {
    const { url, method, body, requestId, signal } = call;
    const headers = await this.credentials.addTo(call.headers, asked);
    return {
      fetch: this.fetch,
      url,
      init: { method, headers, ...(body !== null && { body }) },
      requestId,
      signal,
      timeoutMs: this.policy.attemptMs,
    };
  }
}

async function prepareCall(request: Request): Promise<PreparedCall> {
  const { url, method, signal } = request;
  const headers = new Headers(request.headers);
  const requestId = requestIdOf(headers);
  const body = request.body === null ? null : await request.arrayBuffer();
  return { url, method, headers, body, requestId, signal };
}

/** Returns one id for all attempts of a call, so that they are found together in logs. */
function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id');
  if (given !== null) return given;
  const requestId = crypto.randomUUID();
  headers.set('x-request-id', requestId);
  return requestId;
}
