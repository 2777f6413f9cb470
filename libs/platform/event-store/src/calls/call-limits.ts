/** Bounds of one append or read, in real time. */
export interface CallLimits {
  /** How long an append without an answer is retried before the caller gets Unavailable. */
  readonly resendForMs: number;
  /** How long one append or read may take. The client itself sets no deadline on reads and batch appends. */
  readonly callTimeoutMs: number;
}

export const defaultLimits: CallLimits = { resendForMs: 3_000, callTimeoutMs: 10_000 };

/** The outcome of a successful append. */
export interface Appended {
  readonly kind: 'appended';
  /** Revision of the last event of the append. */
  readonly revision: number;
  /** Position of the last event of the append in the whole store. */
  readonly position: number;
}
