import { hkdfSync, randomBytes } from 'node:crypto';
import type { UserId } from '@app/kernel';
import type { SealedTable, Sealing } from '@app/runtime';
import { conversationOfKey, KeyStore, userKeyId, type KeyId, type SealedFor } from '@app/sealing';
import type { Database } from '../database/database';

/** A key, and the salt from which a conversation's key derives, have 256 bits. */
const keyBytes = 32;

/** The keys of persons' words, as a rotation of the secret key reads them; a destroyed key is null. */
export const sealingKeysTable: SealedTable = {
  table: 'sealing_keys',
  key: 'key_id',
  keyType: 'text',
  value: 'wrapped',
  label: 'parley/sealing-keys/1',
  boundTo: ({ key_id: keyId = '' }) => keyId,
};

interface KeyRow {
  readonly keyId: KeyId;
  readonly wrapped: Buffer | null;
  /** The key of the user who owns it. */
  readonly ownerKeyId: KeyId;
  readonly ownerWrapped: Buffer | null;
}

/**
 * Makes the keys that are not there; a key that is there stays as it is, also where it is destroyed. Makes none for a user whose own key
 * is destroyed. Returns the one that is asked for.
 */
const makeKeys = `
  WITH given AS (SELECT * FROM unnest($1::text[], $2::bytea[]) AS given (key_id, wrapped)),
  made AS (
    INSERT INTO sealing_keys (key_id, user_id, wrapped) SELECT key_id, $3::uuid, wrapped FROM given
    WHERE NOT EXISTS (SELECT 1 FROM sealing_keys WHERE key_id = 'u/' || $3::uuid AND wrapped IS NULL)
    ON CONFLICT DO NOTHING
    RETURNING key_id, user_id, wrapped),
  known AS (
    SELECT * FROM made UNION ALL SELECT key_id, user_id, k.wrapped FROM sealing_keys AS k JOIN given USING (key_id))
  SELECT k.key_id AS "keyId", k.wrapped, u.key_id AS "ownerKeyId", u.wrapped AS "ownerWrapped"
  FROM known AS k LEFT JOIN known AS u ON u.key_id = 'u/' || k.user_id WHERE k.key_id = $4`;

/** Keys of persons' words in the table `sealing_keys`, wrapped by `PARLEY_SECRET_KEY`. Nothing rebuilds this table. */
export class PostgresKeys extends KeyStore {
  /** @param sealing under the label of `sealingKeysTable` */
  constructor(
    private readonly database: Database,
    private readonly sealing: Sealing,
  ) {
    super();
  }

  async read(ids: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Buffer | null>> {
    const rows = await this.database.query<KeyRow>(
      `SELECT k.key_id AS "keyId", k.wrapped, u.key_id AS "ownerKeyId", u.wrapped AS "ownerWrapped"
       FROM sealing_keys k LEFT JOIN sealing_keys u ON u.key_id = 'u/' || k.user_id WHERE k.key_id = ANY($1)`,
      [ids],
      'read_sealing_keys',
    );
    return new Map(rows.map((row) => [row.keyId, this.unwrapped(row)]));
  }

  async make({ keyId: id, userId }: SealedFor): Promise<Buffer | null> {
    const made = userId === null ? [id] : [...new Set([userKeyId(userId), id])];
    const wrapped = made.map((keyId) => this.sealing.seal(randomBytes(keyBytes), keyId));
    const [row] = await this.database.query<KeyRow>(makeKeys, [made, wrapped, userId, id], 'make_sealing_keys');
    // Another process that made it at the same moment is not seen by that statement.
    return row === undefined ? ((await this.read([id])).get(id) ?? null) : this.unwrapped(row);
  }

  async ownerOf(id: KeyId): Promise<UserId | null> {
    const [row] = await this.database.query<{ readonly userId: UserId | null }>(
      'SELECT user_id AS "userId" FROM sealing_keys WHERE key_id = $1',
      [id],
      'find_sealing_key_owner',
    );
    return row?.userId ?? null;
  }

  private unwrapped({ keyId, wrapped, ownerKeyId, ownerWrapped }: KeyRow): Buffer | null {
    if (wrapped === null) return null;
    const value = this.sealing.open(wrapped, keyId);
    if (conversationOfKey(keyId) === null) return value;
    if (ownerWrapped === null) return null;
    const userKey = this.sealing.open(ownerWrapped, ownerKeyId);
    return Buffer.from(hkdfSync('sha256', userKey, value, 'parley/conversation-key/1', keyBytes));
  }
}
