import type { RequestId } from './ids';

/** Who acts: an end user through a partner, an operator, or the service itself (a reactor, the engine, a watchdog). */
export type Actor =
  | { readonly kind: 'user'; readonly id: string; readonly partnerKeyId: string }
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'service'; readonly id: string };

/** Why a command is given; every event that follows carries it in its metadata from the first event on. */
export interface Cause {
  readonly actor: Actor;
  /** The request that caused it; for what the service does by itself, the request that it continues, or a minted id. */
  readonly requestId: RequestId;
  /** Shared by everything that one outside request set in motion. */
  readonly correlationId: string;
  /** The event or request that directly caused the command. */
  readonly causationId: string;
}
