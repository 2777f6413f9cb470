import type { Reason, WithdrawalChange } from './reasons';

/** One part of the input that failed: `path` is a JSON pointer (RFC 6901), empty for the root. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The reason of a refusal; the HTTP layer turns each into exactly one problem. */
export type Refusal =
  | {
      readonly kind: 'reason';
      readonly reason: Exclude<Reason, 'invalid_input'>;
      readonly retryable?: boolean;
      /** Set for `withdrawal_changed` only. */
      readonly change?: WithdrawalChange;
      /** Set for `rate_limited` only, if waiting helps. */
      readonly retryAfterSeconds?: number;
      /** A sentence of ours, for operators: what state refuses it, and what to do. */
      readonly detail?: string;
    }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid_input'; readonly issues: readonly Issue[] };

/**
 * The outcome of a use case: a value, or a refusal.
 * @example
 * const done = await streams.decide(runKind, runId, command, cause);
 * return done.ok ? ok(viewOf(done.value.state)) : refuse(done.refusal);
 */
export type Result<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: Refusal };

/** A use case's success. */
export function ok<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

/** A use case's refusal. */
export function refuse<Value = never>(refusal: Refusal): Result<Value> {
  return { ok: false, refusal };
}

/** A refusal by a row of the reasons table. `retryable` overrides the row's own value (a frozen budget). */
export function because(reason: Exclude<Reason, 'invalid_input'>, retryable?: boolean): Refusal {
  return retryable === undefined ? { kind: 'reason', reason } : { kind: 'reason', reason, retryable };
}

/** A refusal of an operator's change, with a sentence of ours that explains it. */
export function becauseOf(reason: 'projection_state' | 'differences_unseen', detail: string): Refusal {
  return { kind: 'reason', reason, detail };
}

/** A 409 `withdrawal_changed` that advises the caller. */
export function withdrawalChanged(change: WithdrawalChange): Refusal {
  return { kind: 'reason', reason: 'withdrawal_changed', change };
}

/** The same answer for missing, foreign and malformed ids (specification, "Errors", rule 1). */
export const notFound: Refusal = { kind: 'not_found' };

/** A 400 `invalid_input` that points at one part of the input. */
export function invalid(path: string, message: string): Refusal {
  return { kind: 'invalid_input', issues: [{ path, message }] };
}
