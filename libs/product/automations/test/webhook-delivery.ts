import { createHmac, randomUUID } from 'node:crypto';
import type { Answer, TestClient } from '@app/testing/client';
import { act } from '@app/testing/journeys';

export interface Key extends Record<string, unknown> {
  readonly secret: string;
  readonly signingSecret: string;
  readonly keyId: string;
  readonly path: string;
}

export interface Delivery {
  readonly secret?: string;
  readonly id?: string;
  readonly timestamp?: number | string;
  /** Replaces the correct signature. */
  readonly signature?: string;
  readonly headers?: Record<string, string>;
  readonly via?: TestClient;
  readonly contentType?: string;
}

/** Rotates the automation's key. */
export async function rotated(user: TestClient, id: string): Promise<Key> {
  const { status, body } = await act(user, id, 'rotate-webhook-secret');
  expect(status).toBe(200);
  return body as unknown as Key; // reason for the assertion: the answer's members, which the first test checks
}

/** Delivers a body, signed as in Standard Webhooks unless the options say otherwise. */
export async function deliver(
  key: Key,
  body: string | Buffer,
  how: Delivery & { readonly via: TestClient },
): Promise<Answer> {
  const { id = randomUUID(), timestamp = Math.floor(Date.now() / 1000), contentType = 'application/json' } = how;
  const mac = createHmac('sha256', Buffer.from(how.secret ?? key.secret, 'base64url'));
  const signature = `v1,${mac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': how.signature ?? signature,
    'content-type': contentType,
    ...how.headers,
  };
  const url = `${how.via.baseUrl}${key.path}`;
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

/** An inbound event as a JSON text. */
export const eventOf = (change: object = {}): string =>
  JSON.stringify({
    id: randomUUID(),
    type: 'order.placed',
    occurredAt: '2026-05-05T10:00:00Z',
    data: { total: '12.5' },
    ...change,
  });
