import { Injectable } from '@nestjs/common';
import type { UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration } from '@app/runtime';
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { Signer } from './signer';

/** Of AES-GCM (NIST SP 800-38D): a nonce of 96 bits, a tag of 128. */
const nonceBytes = 12;
const tagBytes = 16;

interface KeyRow {
  readonly public_key: string;
  readonly sealed: Buffer;
}

/**
 * The wallets' Ed25519 keys (RFC 8032) in PostgreSQL, each sealed with AES-256-GCM under a key that derives from `PARLEY_SECRET_KEY`.
 * A sealed key is bound to its user and its public key: moved to another row, it does not open.
 */
@Injectable()
export class SealedKeys extends Signer {
  private readonly sealingKey: Buffer;

  constructor(
    private readonly database: Database,
    configuration: Configuration,
  ) {
    super();
    const secret = configuration.env.PARLEY_SECRET_KEY;
    if (secret === undefined) throw new Error('PARLEY_SECRET_KEY is needed to seal keys');
    // RFC 5869; the label keeps this key apart from every other use of the secret.
    this.sealingKey = Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'parley/wallet-keys/1', 32));
  }

  async publicKey(userId: UserId): Promise<string> {
    return (await this.row(userId)).public_key;
  }

  /** @throws Error when the sealed key does not open: the secret is another one, or somebody altered the row */
  async sign(userId: UserId, bytes: Uint8Array): Promise<Uint8Array> {
    return sign(null, bytes, this.open(userId, await this.row(userId)));
  }

  /** The user's key; of two that are made at once, the one that was stored first is everybody's. */
  private async row(userId: UserId): Promise<KeyRow> {
    const stored = await this.stored(userId);
    if (stored !== null) return stored;
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const named = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
    await this.database.query(
      'INSERT INTO wallet_keys (user_id, public_key, sealed) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO NOTHING',
      [userId, named, this.seal(userId, named, privateKey)],
    );
    const made = await this.stored(userId);
    if (made === null) throw new Error(`the key of ${userId} was stored and is not there`);
    return made;
  }

  private async stored(userId: UserId): Promise<KeyRow | null> {
    const [row] = await this.database.query<KeyRow>('SELECT public_key, sealed FROM wallet_keys WHERE user_id = $1', [
      userId,
    ]);
    return row ?? null;
  }

  /** Nonce, tag and ciphertext of the private key (PKCS #8). */
  private seal(userId: UserId, publicKey: string, privateKey: KeyObject): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.sealingKey, nonce).setAAD(bound(userId, publicKey));
    const sealed = [cipher.update(privateKey.export({ format: 'der', type: 'pkcs8' })), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  private open(userId: UserId, { public_key, sealed }: KeyRow): KeyObject {
    const decipher = createDecipheriv('aes-256-gcm', this.sealingKey, sealed.subarray(0, nonceBytes))
      .setAAD(bound(userId, public_key))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const key = Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }
}

function bound(userId: UserId, publicKey: string): Buffer {
  return Buffer.from(`${userId}/${publicKey}`, 'utf8');
}
