import { createHash } from 'node:crypto';
import { serialize, type Schema } from 'borsh';

/** Identifies an intent on the verifier contract, which accepts each nonce of an account once. */
export interface Nonce {
  /** The contract's salt at the time of signing, 4 bytes. */
  readonly salt: Uint8Array;
  /** From then on the contract may forget that the nonce was used. */
  readonly expiresAtMs: number;
  /** 15 bytes that are unique to the submission. */
  readonly tail: Uint8Array;
}

/** The first four bytes of SHA-256 of `versioned_nonce`, which distinguish a versioned nonce from one of the old kind. */
const magic = [0x56, 0x28, 0xf6, 0xc6];
const version = 0;
const nonceLength = 32;
export const saltLength = 4;
const tailLength = 15;
const nanosecondsPerMs = 1_000_000n;

const schema: Schema = {
  struct: {
    magic: { array: { type: 'u8', len: magic.length } },
    version: 'u8',
    salt: { array: { type: 'u8', len: saltLength } },
    expiresAtNs: 'u64',
    tail: { array: { type: 'u8', len: tailLength } },
  },
};

/** The 32 bytes of a versioned nonce: magic, version, salt, expiry in nanoseconds (little-endian), tail (near/intents, core/src/nonce). */
export function encodeNonce({ salt, expiresAtMs, tail }: Nonce): Uint8Array {
  return serialize(schema, {
    magic,
    version,
    salt: [...salt],
    expiresAtNs: BigInt(expiresAtMs) * nanosecondsPerMs,
    tail: [...tail],
  });
}

/** Decodes a nonce that `encodeNonce` made; null when the bytes are not a versioned nonce. */
export function decodeNonce(bytes: Uint8Array): Nonce | null {
  const at = Buffer.from(bytes);
  if (at.length !== nonceLength || at[magic.length] !== version) return null;
  if (magic.some((byte, index) => at[index] !== byte)) return null;
  const saltAt = magic.length + 1;
  const expiryAt = saltAt + saltLength;
  return {
    salt: Uint8Array.from(at.subarray(saltAt, expiryAt)),
    expiresAtMs: Number(at.readBigUInt64LE(expiryAt) / nanosecondsPerMs),
    tail: Uint8Array.from(at.subarray(nonceLength - tailLength)),
  };
}

/** The tail of a submission's nonce, derived from its key, so that signing again after a crash gives the same nonce. */
export function tailOf(submissionKey: string): Uint8Array {
  const digest = createHash('sha256').update(`parley/near-intents/nonce/${submissionKey}`).digest();
  return Uint8Array.from(digest.subarray(0, tailLength));
}
