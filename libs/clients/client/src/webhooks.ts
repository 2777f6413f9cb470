import { Webhook } from 'standardwebhooks';

const toleranceSecondsDefault = 300;
const secretBytes = 32;
/** A dot would make the signed text ambiguous. */
const idForm = /^[A-Za-z0-9_-]{1,64}$/;
const timestampForm = /^[1-9]\d{0,11}$/;
const secretForm = /^[A-Za-z0-9_-]{43}$/;
/** Of an endpoint: 24 to 64 bytes in base64, as Standard Webhooks has them. */
const endpointSecretForm = /^whsec_(?=.{32,88}$)((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

export interface WebhookToSign {
  /** What `automations.rotateWebhookSecret` answered: 43 letters, digits, `_`, `-`. */
  readonly secret: string;
  /** Names this delivery: 1 to 64 letters, digits, `_`, `-`. */
  readonly id: string;
  /** When it is sent. In seconds since the epoch when a number; now when absent. */
  readonly timestamp?: Date | number;
  /** The very bytes that are sent, as UTF-8. */
  readonly body: string | Uint8Array;
}

/** The headers that go with a delivery. */
export type WebhookHeaders = Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/**
 * Signs a delivery to an automation's inbound webhook as Standard Webhooks says: `v1,` and the base64 HMAC-SHA256 over
 * `id.timestamp.body`, by the 32 bytes that the secret stands for. Throws for a secret, an id or a timestamp of another form.
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
  /** Of an endpoint to which Parley delivers (`whsec_…`), or of an automation's inbound webhook. */
  readonly secret: string;
  /** As `fetch` or Node has them; names in any case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The very bytes that came. */
  readonly body: string | Uint8Array;
  /** How far the timestamp may be from now, in either direction. Default 300. */
  readonly toleranceSeconds?: number;
}

/** Whether a delivery was signed with this secret, and lately. Compares in constant time; never throws. */
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
  // A tolerance that is no number lets nothing pass.
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds)) return false;
  const expected = signatureOf(key, id, seconds, text);
  // All of them are compared, so that the time tells nothing of which one fits.
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

/** null: no UTF-8, so that no text has these bytes. */
function textOf(body: string | Uint8Array): string | null {
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    // Said by the null.
    return null;
  }
}

/** undefined: missing, or given more than once. */
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
