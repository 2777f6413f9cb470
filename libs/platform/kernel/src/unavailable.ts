/**
 * A dependency did not answer, so nothing is known to have happened.
 * Answered as 503 `internal` with `retryable: true` (docs/decisions/conventions.md, "Problems"), unless the thrower names a reason of its own.
 */
export class Unavailable extends Error {
  constructor(
    readonly dependency:
      | 'event store'
      | 'database'
      | 'identity provider'
      | 'execution engine'
      | 'wallet provider'
      | 'artifact store'
      | 'bucket'
      | 'service',
    options?: ErrorOptions & { readonly reason?: 'engine_unavailable' | 'provider_unavailable' },
  ) {
    super(`the ${dependency} did not answer`, options);
    this.reason = options?.reason;
  }

  readonly reason: 'engine_unavailable' | 'provider_unavailable' | undefined;
}

/** It answers, and ended a call that took too long: asked the same again, it may do so each time. */
export class TookTooLong extends Unavailable {}
