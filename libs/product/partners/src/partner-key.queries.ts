import { Injectable } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { asId, type Instant, type PartnerKeyId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { PartnerKeyRow } from './partner-key.projection';

/** The request guard's look-ups of keys, from the read model. */
@Injectable()
export class StoredPartnerKeys extends PartnerKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async findMany(keysSha256Hex: readonly string[]): Promise<ReadonlyMap<string, PartnerKeyId>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyHash' | 'keyId'>>(
      `SELECT ${selectList(PartnerKeyRow, ['keyHash', 'keyId'])} FROM partner_keys
       WHERE key_hash = ANY($1::text[]) AND revoked_at IS NULL`,
      [keysSha256Hex],
      'find_partner_keys',
    );
    return new Map(rows.map(({ keyHash, keyId }) => [keyHash, asId<PartnerKeyId>(keyId)]));
  }

  async live(keyIds: readonly PartnerKeyId[]): Promise<ReadonlySet<PartnerKeyId>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyId'>>(
      `SELECT ${selectList(PartnerKeyRow, ['keyId'])} FROM partner_keys WHERE key_id = ANY($1::uuid[]) AND revoked_at IS NULL`,
      [keyIds],
    );
    return new Set(rows.map(({ keyId }) => asId<PartnerKeyId>(keyId)));
  }
}

/** A partner key as operators see it; the key itself nobody can show again. */
export interface ListedPartnerKey {
  readonly keyId: PartnerKeyId;
  readonly label: string;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

/** Rows that one statement reads. */
const pageRows = 500;

/** All partner keys, for operators. */
@Injectable()
export class PartnerKeyList {
  constructor(private readonly database: Database) {}

  /** Revoked ones as well, oldest first, from the read model. @throws Unavailable */
  async *all(): AsyncGenerator<ListedPartnerKey> {
    for (let after: string | null = null; ;) {
      const rows: ListedPartnerKey[] = await this.database.query<ListedPartnerKey>(
        `SELECT ${selectList(PartnerKeyRow, ['keyId', 'label', 'revokedAt'])}, minted_at AS "createdAt" FROM partner_keys
         WHERE $1::uuid IS NULL OR (minted_at, key_id) > (SELECT minted_at, key_id FROM partner_keys WHERE key_id = $1)
         ORDER BY minted_at, key_id LIMIT $2`,
        [after, pageRows],
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) return;
      after = last.keyId;
    }
  }
}
