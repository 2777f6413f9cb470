import { Webhook } from 'standardwebhooks';

const toleranceSecondsDefault = 300;
const secretBytes = 32;
/** No dots, because one would make the signed text ambiguous. */
const idForm = /^[A-Za-z0-9_-]{1,64}$/;
const timestampForm = /^[1-9]\d{0,11}$/;
const secretForm = /^[A-Za-z0-9_-]{43}$/;
/** Secret of an endpoint: 24 to 64 bytes in base64, as Standard Webhooks defines it. */
const endpointSecretForm = /^whsec_(?=.{32,88}$)((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

export interface WebhookToSign {
  /** The answer of `automations.rotateWebhookSecret`: 43 letters, digits, `_`, `-`. */
  readonly secret: string;
  /** Identifies this delivery: 1 to 64 letters, digits, `_`, `-`. */
  readonly id: string;
  /** Time of sending: a Date, or seconds since the epoch. Default: now. */
  readonly timestamp?: Date | number;
  /** Exactly the bytes that are sent, as UTF-8. */
  readonly body: string | Uint8Array;
}

/** The headers to send with a delivery. */
export type WebhookHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/**
 * Signs a delivery to an automation's inbound webhook according to Standard Webhooks: `v1,` and the base64 HMAC-SHA256
 * over `id.timestamp.body`, with the 32 bytes that the secret encodes. Throws a TypeError for a malformed secret, id or
 * timestamp, and for a body that is not UTF-8.
 */
export function signWebhook({ secret, id, timestamp = new Date(), body }: WebhookToSign): WebhookHeaders {
  const seconds = Math.floor(typeof timestamp === 'number' ? timestamp : timestamp.getTime() / 1_000);
  const key = keyOf(secret);
  const text = textOf(body);
  if (key === null) throw new TypeError('The secret of a webhook is 43 letters, digits, "_" or "-"');
  if (!idForm.test(id)) throw new TypeError('The id of a webhook is 1 to 64 letters, digits, "_" or "-"');
  if (!timestampForm.test(String(seconds))) throw new TypeError('The timestamp of a webhook is a time after 1970');
  if (text === null) throw new TypeError('The body of a webhook is UTF-8');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf(key, id, seconds, text),
  };
}

export interface WebhookToVerify {
  /** Secret of an endpoint to which Parley delivers (`whsec_…`), or of an automation's inbound webhook. */
  readonly secret: string;
  /** Headers as `fetch` or Node provides them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Exactly the bytes that were received. */
  readonly body: string | Uint8Array;
  /** How far the timestamp may differ from the current time, in either direction. Default 300. */
  readonly toleranceSeconds?: number;
}

/** Whether a delivery was signed with this secret, within the tolerance. Compares in constant time; never throws. */
export function verifyWebhook(delivery: WebhookToVerify): boolean {
  const { secret, headers, body, toleranceSeconds = toleranceSecondsDefault } = delivery;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  const key = endpointKeyOf(secret) ?? keyOf(secret);
  const text = textOf(body);
  if (key === null || text === null || id === undefined || timestamp === undefined || signatures === undefined) {
    return false;
  }
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return false;
  const seconds = Number(timestamp);
  // A tolerance that is not a number lets nothing pass.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds)) return false;
  const expected = signatureOf(key, id, seconds, text);
  // All of them are compared, so that the duration does not reveal which one matches.
  return signatures.split(' ').reduce((fits, signature) => isSame(signature, expected) || fits, false);
}

function signatureOf(key: Uint8Array, id: string, seconds: number, text: string): string {
  return new Webhook(key, { format: 'raw' }).sign(id, new Date(seconds * 1_000), text);
}

function keyOf(secret: string): Uint8Array | null {
  if (!secretForm.test(secret)) return null;
  const bytes = bytesOf(secret.replaceAll('-', '+').replaceAll('_', '/'));
  return bytes.length === secretBytes ? bytes : null;
}

function endpointKeyOf(secret: string): Uint8Array | null {
  const [, base64] = endpointSecretForm.exec(secret) ?? [];
  return base64 === undefined ? null : bytesOf(base64);
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Returns null if the bytes are not UTF-8, so that no text has these bytes. */
function textOf(body: string | Uint8Array): string | null {
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    // The null reports it.
    return null;
  }
}

/** Returns undefined if the header is missing, or given more than once. */
function headerOf(headers: WebhookToVerify['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
  const [value] = values;
  return values.length === 1 && typeof value === 'string' ? value : undefined;
}

function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
