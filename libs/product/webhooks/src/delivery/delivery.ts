import type { Instant } from '@app/kernel';

/**
 * `pending`: it is to be attempted, now or later. `given_up`: its attempts are over. `canceled`: its endpoint was disabled before it was
 * delivered.
 */
export const deliveryStates = ['pending', 'delivered', 'given_up', 'canceled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why an attempt failed. */
export const failures = [
  /** An answer other than 2xx. */
  'status',
  /** 3xx: nothing is sent anywhere else. */
  'redirect',
  /** No answer within 15 s. */
  'timeout',
  /** The name has no address. */
  'not_resolved',
  /** An address that must not be reached, or the URL leads to none. */
  'address_refused',
  /** Nobody took the connection. */
  'not_connected',
  /** The connection ended before there was an answer. */
  'cut_off',
  /** No trust in the certificate, or no TLS. */
  'tls',
  /** Bytes that are no HTTP. */
  'not_http',
] as const;
export type AttemptFailure = (typeof failures)[number];

/** What an operator sees of a notice on its way to an endpoint. */
export interface DeliveryView {
  readonly id: string;
  /** The `webhook-id` of every attempt. */
  readonly noticeId: string;
  readonly type: string;
  readonly state: DeliveryState;
  /** Since it was asked for last. */
  readonly attempts: number;
  /** Null where it is over, and where an earlier one of its stream comes first. */
  readonly nextAttemptAt: Instant | null;
  readonly lastAttempt: {
    readonly at: Instant;
    readonly status: number | null;
    readonly failure: AttemptFailure | null;
  } | null;
  readonly createdAt: Instant;
  readonly deliveredAt: Instant | null;
}

/** A delivery of a list, with the key that the list is sorted by. */
export interface ListedDelivery {
  readonly seq: number;
  readonly view: DeliveryView;
}

/** What an endpoint is told about itself; no event that partners are told of has one of these types. */
export const ownTypes = { test: 'endpoint.test', disabled: 'endpoint.disabled' } as const;
