import type { Instant, Words } from '@app/kernel';

/** An amount in the token's smallest unit: decimal digits without leading zeros. */
export interface TokenAmount {
  readonly tokenId: string;
  readonly amountRaw: string;
}

/** Bytes sent to the provider for one action: the same on every attempt, with at most one effect. */
export interface Submission {
  /** Its permanent key at the provider: `<operationId>/<action index>/<attempt>`. */
  readonly key: string;
  /** From 1; new bytes are signed only past the deadline, once the provider says it never accepted the last ones. */
  readonly attempt: number;
  /** Opaque to all but the provider that made it. */
  readonly bytes: string;
  readonly input: TokenAmount;
  /** The expected output of a swap. */
  readonly output: TokenAmount | null;
  /** The minimum output of a swap; for less, the input is given back. Null if the provider promises nothing. */
  readonly leastOutput: TokenAmount | null;
  /** The provider's exact answer to the price request, with its signature: evidence in disputes. */
  readonly quote: string | null;
  /** After this instant the provider no longer accepts it. */
  readonly deadline: Instant;
}

/** Replaces a submission at the provider: at most one of the two is ever executed. */
export interface Revocation {
  /** The key of the submission that it replaces. */
  readonly key: string;
  /** Opaque to all but the provider that made it. */
  readonly bytes: string;
}

/** Amounts that the provider reports at an action's end; null where it does not say. */
export interface Delivered {
  readonly output: TokenAmount | null;
  /** The input given back, after the provider's fees. */
  readonly returned: TokenAmount | null;
}

export const operationFailureReasons = [
  'insufficient_balance',
  'quote_expired',
  'provider_rejected',
  'refunded',
  'timed_out',
  'bounds_exceeded',
] as const;
export type OperationFailureReason = (typeof operationFailureReasons)[number];

export interface OperationFailure {
  readonly reason: OperationFailureReason;
  readonly text: Words;
}
