import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Configuration } from './configuration/configuration';
import { secretKeysIn } from './configuration/secret-keys';

/** Sizes of AES-GCM (NIST SP 800-38D): a nonce of 96 bits, a tag of 128. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals secrets that PostgreSQL stores, with AES-256-GCM under keys that derive from `PARLEY_SECRET_KEY`: under that of its newest entry,
 * while each entry opens. A value does not say which entry sealed it, so that its form is the same before, during and after a rotation:
 * entries are tried, newest first, and the tag decides.
 */
export class Sealing {
  private readonly keys: readonly [Buffer, ...Buffer[]];

  /**
   * @param label keeps these keys apart from every other use of the secret (RFC 5869)
   * @throws Error when no secret is configured
   */
  constructor({ env }: Configuration, label: string) {
    const secret = env.PARLEY_SECRET_KEY;
    if (secret === undefined) throw new Error('PARLEY_SECRET_KEY is needed to seal secrets');
    const derived = (entry: Buffer): Buffer => Buffer.from(hkdfSync('sha256', entry, '', label, 32));
    const [newest, ...older] = secretKeysIn(secret);
    this.keys = [derived(newest), ...older.map(derived)];
  }

  /** Returns nonce, tag and ciphertext. They open only with the same `boundTo`, which names the row that they belong to. */
  seal(plain: Uint8Array, boundTo: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0], nonce).setAAD(Buffer.from(boundTo, 'utf8'));
    const sealed = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** @throws Error when it does not open: no entry of the secret sealed it, or the row was altered or moved */
  open(sealed: Buffer, boundTo: string): Buffer {
    const opened = this.openWithEntry(sealed, boundTo);
    if (opened === null) throw new Error(`no entry of PARLEY_SECRET_KEY opens what is sealed for ${boundTo}`);
    return opened.plain;
  }

  /** Returns the content, and the place of the entry that opens it, 0 for the newest; null when none does. */
  openWithEntry(sealed: Buffer, boundTo: string): { readonly plain: Buffer; readonly entry: number } | null {
    for (const [entry, key] of this.keys.entries()) {
      const plain = openUnder(key, sealed, boundTo);
      if (plain !== null) return { plain, entry };
    }
    return null;
  }
}

function openUnder(key: Buffer, sealed: Buffer, boundTo: string): Buffer | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(boundTo, 'utf8'))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    // AES-GCM gives no further reason.
    return null;
  }
}
