import { Injectable } from '@nestjs/common';
import type { UserId } from '@app/kernel';
import { Database, migration } from '@app/read-store';
import { Sealing, type SealedTable } from '@app/runtime';
import { Configuration } from '@app/settings';
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { Signer } from './signer';

/** The sealed keys, each bound to its user and its public key. */
export const walletKeysTable: SealedTable = {
  table: 'wallet_keys',
  key: 'user_id',
  keyType: 'uuid',
  value: 'sealed',
  label: 'parley/wallet-keys/1',
  boundTo: ({ user_id, public_key }) => [user_id, public_key].join('/'),
};

interface KeyRow {
  readonly public_key: string;
  readonly sealed: Buffer;
}

/**
 * The wallets' Ed25519 keys (RFC 8032) in PostgreSQL, each sealed under a key derived from `PARLEY_SECRET_KEY`. A
 * sealed key is bound to its user and public key: moved to another row, it does not open.
 */
@Injectable()
export class SealedKeys extends Signer {
  private readonly sealing: Sealing;

  constructor(
    private readonly database: Database,
    configuration: Configuration,
  ) {
    super();
    this.sealing = new Sealing(configuration, walletKeysTable.label);
  }

  async publicKey(userId: UserId): Promise<string> {
    return (await this.row(userId)).public_key;
  }

  /** @throws Error when the sealed key does not open, because the secret is another one or the row was altered */
  async sign(userId: UserId, bytes: Uint8Array): Promise<Uint8Array> {
    return sign(null, bytes, this.open(userId, await this.row(userId)));
  }

  /** The user's key, made if there is none; of two made concurrently, the one stored first is used by all. */
  private async row(userId: UserId): Promise<KeyRow> {
    const stored = await this.findKey(userId);
    if (stored !== null) return stored;
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const named = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');
    await this.database.query(
      'INSERT INTO wallet_keys (user_id, public_key, sealed) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO NOTHING',
      [userId, named, this.seal(userId, named, privateKey)],
    );
    const made = await this.findKey(userId);
    if (made === null) throw new Error(`the key of ${userId} was stored and is not there`);
    return made;
  }

  private async findKey(userId: UserId): Promise<KeyRow | null> {
    const [row] = await this.database.query<KeyRow>('SELECT public_key, sealed FROM wallet_keys WHERE user_id = $1', [
      userId,
    ]);
    return row ?? null;
  }

  /** The private key (PKCS #8), sealed. */
  private seal(userId: UserId, publicKey: string, privateKey: KeyObject): Buffer {
    const boundTo = walletKeysTable.boundTo({ user_id: userId, public_key: publicKey });
    return this.sealing.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), boundTo);
  }

  private open(userId: UserId, { public_key, sealed }: KeyRow): KeyObject {
    const key = this.sealing.open(sealed, walletKeysTable.boundTo({ user_id: userId, public_key }));
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }
}

export const walletKeysMigrations = [
  // The wallets' sealed keys. Not a read model: no rebuild touches them, and without them the wallets' money cannot be
  // moved.
  migration(
    600,
    'CreateWalletKeys',
    `
      CREATE TABLE wallet_keys (
        user_id uuid PRIMARY KEY, public_key text NOT NULL UNIQUE, sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now())`,
  ),
];
