import { ed25519 } from '@noble/curves/ed25519';
import { sha256 } from '@noble/hashes/sha2';
import { concat, fromBase64, toBase64, utf8 } from './bytes';

/** A log signs notes; a witness, that it saw one at a time. Source: C2SP signed-note, "Signature types". */
export const signatureTypes = { log: 0x01, witness: 0x04 } as const;
export type SignatureKind = keyof typeof signatureTypes;

/** A public key with its name, as verifiers are configured with it. */
export interface VerifierKey {
  readonly kind: SignatureKind;
  readonly name: string;
  /** 4 bytes as 8 hex digits: together with the name, it identifies the key in a signature line. */
  readonly id: string;
  /** 32 bytes of Ed25519 (RFC 8032). */
  readonly publicKey: Uint8Array;
}

/** A key that can sign. */
export interface SigningKey extends VerifierKey {
  readonly seed: Uint8Array;
}

const keyBytes = 32;
const namePattern = /^[^\s+\p{Cc}]+$/u;

/** @param seed 32 random bytes. @throws RangeError for a name with spaces or a plus, which no note can hold, and for another seed */
export function signingKey(kind: SignatureKind, name: string, seed: Uint8Array): SigningKey {
  if (seed.length !== keyBytes) throw new RangeError(`a seed of ${seed.length} bytes`);
  return { ...keyOf(kind, name, ed25519.getPublicKey(seed)), seed };
}

function keyOf(kind: SignatureKind, name: string, publicKey: Uint8Array): VerifierKey {
  if (!namePattern.test(name)) throw new RangeError(`${JSON.stringify(name)} cannot name a key`);
  const hash = sha256(concat(utf8(`${name}\n`), Uint8Array.of(signatureTypes[kind]), publicKey));
  return { kind, name, id: hex(hash.subarray(0, 4)), publicKey };
}

/** Formats a public key: `<name>+<id>+<base64 of type and key>`. Source: C2SP signed-note, "Verifier keys". */
export function verifierKeyText({ kind, name, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${toBase64(concat(Uint8Array.of(signatureTypes[kind]), publicKey))}`;
}

/** Parses a public key; null for any text that is not one of ours, such as another type, or an id that is not the key's. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const match = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text);
  if (match === null) return null;
  const [, name = '', id, encoded = ''] = match;
  const [type, ...key] = fromBase64(encoded) ?? [];
  const kind = type === signatureTypes.log ? 'log' : type === signatureTypes.witness ? 'witness' : null;
  if (kind === null || key.length !== keyBytes || !namePattern.test(name)) return null;
  const parsed = keyOf(kind, name, Uint8Array.from(key));
  return parsed.id === id ? parsed : null;
}

export function sign({ seed }: SigningKey, message: Uint8Array): Uint8Array {
  return ed25519.sign(message, seed);
}

/** Whether the key signed the message. The strict rules of RFC 8032 allow one spelling of a signature (64 bytes). */
export function isSignedBy({ publicKey }: VerifierKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 2 * keyBytes) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false; // a key or a signature that is not a point of the curve
  }
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
