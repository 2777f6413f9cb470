import { createHash, createPublicKey, verify } from 'node:crypto';

/** A signed message as received. */
export interface WireSigned {
  readonly standard: unknown;
  readonly payload: { readonly message: string; readonly nonce: string; readonly recipient: string };
  readonly public_key: string;
  readonly signature: string;
}

/** The content of a signed message. */
export interface WireMessage {
  readonly signer_id: string;
  readonly deadline: string;
  readonly intents: readonly {
    readonly intent: string;
    readonly receiver_id: string;
    readonly tokens: Readonly<Record<string, string>>;
  }[];
}

export interface WireNonce {
  readonly salt: string;
  readonly expiresAtMs: number;
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** DER of an Ed25519 public key (RFC 8410), up to its 32 bytes. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

// The checks of the contract, written without any code of the adapter, so that neither repeats the other's mistakes.
// Source: NEP-413 (github.com/near/NEPs, "Sign arbitrary messages"); RFC 8410; docs.near-intents.org, "Signing
// Intents".

export function messageOf({ payload }: WireSigned): WireMessage {
  return JSON.parse(payload.message) as WireMessage;
}

/** SHA-256 over the tag and the payload in Borsh (NEP-413). */
export function payloadDigest({ payload: { message, nonce, recipient } }: WireSigned): Buffer {
  const bytes = [u32(0x8000019d), text(message), Buffer.from(nonce, 'base64'), text(recipient), Buffer.of(0)];
  return createHash('sha256').update(Buffer.concat(bytes)).digest();
}

/** Returns the signer's public key in hex if the signature is valid, else null. */
export function signerOf(signed: WireSigned): string | null {
  const key = unprefixed(signed.public_key, 32);
  const signature = unprefixed(signed.signature, 64);
  const nonce = Buffer.from(signed.payload.nonce, 'base64');
  if (signed.standard !== 'nep413' || key === null || signature === null || nonce.length !== 32) return null;
  const spki = createPublicKey({ key: Buffer.concat([spkiPrefix, key]), format: 'der', type: 'spki' });
  return verify(null, payloadDigest(signed), spki, signature) ? key.toString('hex') : null;
}

/** Returns the parts of a versioned nonce; null for one of the old kind. */
export function nonceParts(base64: string): WireNonce | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.subarray(0, 5).toString('hex') !== '5628f6c600') return null;
  const expiresAtMs = Number(bytes.readBigUInt64LE(9) / 1_000_000n);
  return { salt: bytes.subarray(5, 9).toString('hex'), expiresAtMs };
}

/** Returns base58 as Bitcoin writes it, by long division. */
export function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  let digits = '';
  for (; number > 0n; number /= 58n) digits = `${alphabet[Number(number % 58n)]}${digits}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + digits;
}

function unprefixed(written: string, length: number): Buffer | null {
  const [curve, digits = ''] = written.split(':');
  if (curve !== 'ed25519' || !/^[1-9A-HJ-NP-Za-km-z]{1,100}$/.test(digits)) return null;
  const number = [...digits].reduce((sum, digit) => sum * 58n + BigInt(alphabet.indexOf(digit)), 0n);
  const hex = number.toString(16);
  return hex.length <= 2 * length ? Buffer.from(hex.padStart(2 * length, '0'), 'hex') : null;
}

function u32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function text(content: string): Buffer {
  const bytes = Buffer.from(content, 'utf8');
  return Buffer.concat([u32(bytes.length), bytes]);
}
