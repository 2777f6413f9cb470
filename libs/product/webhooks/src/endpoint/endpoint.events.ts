import type { Instant, MarksOf } from '@app/kernel';

/** The settings of an endpoint, chosen by operators. */
export interface EndpointSettings {
  /** The address that events are sent to. */
  readonly url: string;
  /** The types that are sent; null: all, including those of later versions. */
  readonly types: readonly string[] | null;
  /** Whether a body contains the event (`full`) or only names what it is about (`thin`). */
  readonly payload: 'thin' | 'full';
  /** A description for operators. */
  readonly description: string;
}

/** Why nothing more is sent: an operator disabled it, it answered 410, or it failed every attempt for days. */
export const disabledCauses = ['operator', 'gone', 'failing'] as const;
export type DisabledBecause = (typeof disabledCauses)[number];

/** The events of one endpoint. They contain no secrets: a key is named by its id. */
export type EndpointEvent =
  | (EndpointSettings & {
      readonly type: 'endpoint.created';
      readonly at: Instant;
      readonly keyId: string;
      /** The operator's reason. */
      readonly reason: string;
    })
  /** All settings, including those that have not changed. */
  | (EndpointSettings & { readonly type: 'endpoint.changed'; readonly at: Instant; readonly reason: string })
  | { readonly type: 'endpoint.secret_rotated'; readonly at: Instant; readonly keyId: string; readonly reason: string }
  | { readonly type: 'endpoint.enabled'; readonly at: Instant; readonly reason: string }
  | {
      readonly type: 'endpoint.disabled';
      readonly at: Instant;
      readonly because: DisabledBecause;
      /** The operator's reason; null if no operator did it. */
      readonly reason: string | null;
    }
  | { readonly type: 'endpoint.deleted'; readonly at: Instant; readonly reason: string };

const settings = { url: 'clear', types: 'clear', payload: 'clear', description: 'clear' } as const;

/** Operators choose all of it. */
export const endpointMembers: MarksOf<EndpointEvent> = {
  'endpoint.created': { ...settings, keyId: 'clear', reason: 'clear' },
  'endpoint.changed': { ...settings, reason: 'clear' },
  'endpoint.secret_rotated': { keyId: 'clear', reason: 'clear' },
  'endpoint.enabled': { reason: 'clear' },
  'endpoint.disabled': { because: 'clear', reason: 'clear' },
  'endpoint.deleted': { reason: 'clear' },
};
