import type { Instant } from '@app/kernel';

/** What operators choose about an endpoint. */
export interface EndpointSettings {
  /** Where the events are sent. */
  readonly url: string;
  /** The types that are sent; null: all, those of later versions as well. */
  readonly types: readonly string[] | null;
  /** Whether a body holds the event besides what it is about. */
  readonly payload: 'thin' | 'full';
  /** What operators know the endpoint by. */
  readonly description: string;
}

/** Why nothing more is sent: an operator said so, the endpoint did (410), or it answered nothing but failures for days. */
export const disabledCauses = ['operator', 'gone', 'failing'] as const;
export type DisabledBecause = (typeof disabledCauses)[number];

/** The facts of one endpoint. Secrets are nowhere in them: a key is known by its id. */
export type EndpointEvent =
  | (EndpointSettings & {
      readonly type: 'endpoint.created';
      readonly at: Instant;
      readonly keyId: string;
      /** Why, in the operator's words. */
      readonly reason: string;
    })
  /** All that is chosen, what has not changed as well. */
  | (EndpointSettings & { readonly type: 'endpoint.changed'; readonly at: Instant; readonly reason: string })
  | { readonly type: 'endpoint.secret_rotated'; readonly at: Instant; readonly keyId: string; readonly reason: string }
  | { readonly type: 'endpoint.enabled'; readonly at: Instant; readonly reason: string }
  | {
      readonly type: 'endpoint.disabled';
      readonly at: Instant;
      readonly because: DisabledBecause;
      /** The operator's words; null where no operator did it. */
      readonly reason: string | null;
    }
  | { readonly type: 'endpoint.deleted'; readonly at: Instant; readonly reason: string };
