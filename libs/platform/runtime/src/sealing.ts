import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Configuration } from './configuration/configuration';

/** Sizes of AES-GCM (NIST SP 800-38D): a nonce of 96 bits, a tag of 128. */
const nonceBytes = 12;
const tagBytes = 16;

/** Seals secrets that PostgreSQL stores, with AES-256-GCM under a key that derives from `PARLEY_SECRET_KEY`. */
export class Sealing {
  private readonly key: Buffer;

  /**
   * @param label keeps this key apart from every other use of the secret (RFC 5869)
   * @throws Error when no secret is configured
   */
  constructor({ env }: Configuration, label: string) {
    const secret = env.PARLEY_SECRET_KEY;
    if (secret === undefined) throw new Error('PARLEY_SECRET_KEY is needed to seal secrets');
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', label, 32));
  }

  /** Returns nonce, tag and ciphertext. They open only with the same `boundTo`, which names the row that they belong to. */
  seal(plain: Uint8Array, boundTo: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(boundTo, 'utf8'));
    const sealed = [cipher.update(plain), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** @throws Error when it does not open: the secret is a different one, or the row was altered or moved */
  open(sealed: Buffer, boundTo: string): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(boundTo, 'utf8'))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
  }
}
