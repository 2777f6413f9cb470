import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isSealed, type JsonValue, type Sealed } from '@app/kernel';

/** Sizes of AES-256-GCM (NIST SP 800-38D): a key of 256 bits, a nonce of 96, a tag of 128. */
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** The size of a commitment: an HMAC-SHA256 (RFC 2104). */
const commitmentBytes = 32;
const headBytes = nonceBytes + tagBytes + commitmentBytes;
const cipherName = 'aes-256-gcm';
const hashName = 'sha512';
/** The form of the texts that this version writes. */
const version = '1';

/** The place of a sealed value: it opens in no other one. */
export interface Place {
  /** Names the key: `u/<userId>`, `c/<conversationId>`. */
  readonly keyId: string;
  /** The event that holds the value, or a number of its own for a value outside of events. */
  readonly eventId: string;
  /** The member's path within the event, such as `title` or `definition/name`. */
  readonly path: string;
}

/** The keys of one value: the first encrypts it, the second commits to it. */
interface ValueKeys {
  readonly cipherKey: Buffer;
  readonly commitKey: Buffer;
}

/**
 * Seals a value with AES-256-GCM under a key of its own, which derives (HKDF, RFC 5869) from the stream's key, the event and the path. An
 * HMAC of the plaintext under a second derived key commits to it, so that no other plaintext can ever be shown for the same bytes.
 * @param key of 32 bytes. The same place must not be sealed twice with different values.
 */
export function sealValue(key: Buffer, place: Place, value: JsonValue): Sealed {
  const plain = Buffer.from(JSON.stringify(value), 'utf8');
  const { cipherKey, commitKey } = valueKeys(key, place);
  const nonce = randomBytes(nonceBytes);
  const commitment = commitmentTo(plain, commitKey);
  const cipher = createCipheriv(cipherName, cipherKey, nonce).setAAD(boundTo(place, commitment));
  const ciphertext = cipher.update(plain);
  cipher.final(); // makes the tag, and no more bytes: GCM is a stream cipher
  const bytes = Buffer.concat([nonce, cipher.getAuthTag(), commitment, ciphertext]);
  return { sealed: beginOf(place) + bytes.toString('base64url') };
}

/**
 * Opens a sealed value. Does not compute the commitment, because the process that sealed the value did, and the tag covers it.
 * @param key of the key id in its place
 * @throws Error when it does not open: it is under another key, or was altered or moved
 */
export function openValue(key: Buffer, sealed: Sealed): JsonValue {
  // Reason for the assertion: `sealValue` encrypts JSON.
  return JSON.parse(plainText(key, sealed)) as JsonValue;
}

/** As `openValue`; returns the JSON text. */
export function plainText(key: Buffer, sealed: Sealed): string {
  const { place, bytes } = read(sealed);
  return decrypted(valueKeys(key, place), place, bytes).toString('utf8');
}

/** The exact plaintext of a sealed value, and the key under which its commitment is the HMAC-SHA256 of it. */
export interface RevealedValue {
  readonly plain: Buffer;
  readonly commitKey: Buffer;
}

/**
 * Opens a sealed value so that others can be shown what it is (docs/decisions/personal-data.md): HMAC-SHA256 of the plaintext under the
 * returned key is the commitment in the sealed text. The key opens no other value.
 * @param key of the key id in its place
 * @throws Error when it does not open: it is under another key, or was altered or moved
 */
export function revealValue(key: Buffer, sealed: Sealed): RevealedValue {
  const { place, bytes } = read(sealed);
  const keys = valueKeys(key, place);
  const plain = decrypted(keys, place, bytes);
  if (!timingSafeEqual(commitmentTo(plain, keys.commitKey), commitmentIn(bytes)))
    throw new Error('a sealed value does not have the plaintext that it commits to');
  return { plain, commitKey: keys.commitKey };
}

/** Returns the place that a sealed value names. @throws Error for a text that this product did not write */
export function placeOf({ sealed }: Sealed): Place {
  return partsOf(sealed).place;
}

/** Whether a sealed value names this place. */
export function isSealedAt({ sealed }: Sealed, place: Place): boolean {
  return sealed.startsWith(beginOf(place));
}

/** Whether a value is sealed by this product, so that `placeOf` can read it. */
export function isSealedValue(value: unknown): value is Sealed {
  return isSealed(value) && form.test(value.sealed);
}

/** 80 characters of base64url are the 60 bytes before the ciphertext. */
const form = /^1:([^:]+):([^:]+):([^:]+):([A-Za-z0-9_-]{80,})$/;

function read({ sealed }: Sealed): { place: Place; bytes: Buffer } {
  const { place, base64 } = partsOf(sealed);
  return { place, bytes: Buffer.from(base64, 'base64url') };
}

function partsOf(sealed: string): { place: Place; base64: string } {
  const [, keyId, eventId, path, base64] = form.exec(sealed) ?? [];
  if (keyId === undefined || eventId === undefined || path === undefined || base64 === undefined)
    throw new Error('a sealed value has no form that this version knows');
  return { place: { keyId, eventId, path }, base64 };
}

function beginOf({ keyId, eventId, path }: Place): string {
  return `${version}:${keyId}:${eventId}:${path}:`;
}

function decrypted({ cipherKey }: ValueKeys, place: Place, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(cipherName, cipherKey, bytes.subarray(0, nonceBytes))
    .setAAD(boundTo(place, commitmentIn(bytes)))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const plain = decipher.update(bytes.subarray(headBytes));
  decipher.final(); // throws for a tag of other bytes; it returns none
  return plain;
}

/** HKDF-Expand (RFC 5869, 2.3): one block of SHA-512 is both keys. */
function valueKeys(key: Buffer, { eventId, path }: Place): ValueKeys {
  const block = createHmac(hashName, extracted(key)).update(`parley/value/1/${eventId}:${path}\x01`).digest();
  return { cipherKey: block.subarray(0, keyBytes), commitKey: block.subarray(keyBytes) };
}

/** HKDF-Extract (RFC 5869, 2.2) of a stream's key, computed once for as long as the key is in memory. */
function extracted(key: Buffer): Buffer {
  const known = pseudorandom.get(key);
  if (known !== undefined) return known;
  const made = createHmac(hashName, 'parley/stream/1').update(key).digest();
  pseudorandom.set(key, made);
  return made;
}

const pseudorandom = new WeakMap<Buffer, Buffer>();

function boundTo(place: Place, commitment: Buffer): Buffer {
  return Buffer.concat([Buffer.from(beginOf(place), 'utf8'), commitment]);
}

function commitmentTo(plain: Buffer, commitKey: Buffer): Buffer {
  return createHmac('sha256', commitKey).update(plain).digest();
}

function commitmentIn(bytes: Buffer): Buffer {
  return bytes.subarray(nonceBytes + tagBytes, headBytes);
}
