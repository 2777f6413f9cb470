import type { Instant } from '@app/kernel';

/**
 * `pending`: to be attempted, now or later. `given_up`: its attempts are used up. `canceled`: its endpoint was disabled
 * before it was delivered.
 */
export const deliveryStates = ['pending', 'delivered', 'given_up', 'canceled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why an attempt failed. */
export const failures = [
  /** An answer other than 2xx. */
  'status',
  /** 3xx: redirects are not followed. */
  'redirect',
  /** No answer within 15 s. */
  'timeout',
  /** The name has no address. */
  'not_resolved',
  /** The URL names an address that must not be reached, or leads to one. */
  'address_refused',
  /** No connection could be made. */
  'not_connected',
  /** The connection ended before an answer. */
  'cut_off',
  /** The certificate is not trusted, or the server does not speak TLS. */
  'tls',
  /** The bytes received are not HTTP. */
  'not_http',
] as const;
export type AttemptFailure = (typeof failures)[number];

/** Operators' view of a notice's delivery to one endpoint. */
export interface DeliveryView {
  readonly id: string;
  /** The `webhook-id` of every attempt. */
  readonly noticeId: string;
  readonly type: string;
  readonly state: DeliveryState;
  /** Number of attempts since the delivery was created or last retried. */
  readonly attempts: number;
  /** Null if it is finished, or waits for an earlier one of its stream. */
  readonly nextAttemptAt: Instant | null;
  readonly lastAttempt: {
    readonly at: Instant;
    readonly status: number | null;
    readonly failure: AttemptFailure | null;
  } | null;
  readonly createdAt: Instant;
  readonly deliveredAt: Instant | null;
}

/** A delivery in a list, with its sort key. */
export interface ListedDelivery {
  readonly seq: number;
  readonly view: DeliveryView;
}

/** Types of messages about the endpoint itself; no event that is published to partners has one of them. */
export const ownTypes = { test: 'endpoint.test', disabled: 'endpoint.disabled' } as const;
