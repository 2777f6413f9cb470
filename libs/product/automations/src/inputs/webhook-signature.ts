import type { IncomingHttpHeaders } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** No dots, because one would make the signed text ambiguous. */
export const idForm = /^[A-Za-z0-9_-]{1,64}$/;
/** Seconds since the Unix epoch. */
export const timestampForm = /^[1-9]\d{0,11}$/;

/**
 * Whether a request is signed with the secret as in Standard Webhooks: `webhook-signature` holds `v1,` and the base64 HMAC-SHA256 over
 * `id.timestamp.body`, compared in constant time, and `webhook-timestamp` is within 5 minutes of real time.
 */
export function isSignedWith(secret: Uint8Array, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signature = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return false;
  const webhook = new Webhook(secret, { format: 'raw' });
  const signed = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  try {
    webhook.verify(body, signed, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
