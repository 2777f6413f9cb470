import { Injectable } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { asId, type PartnerKeyId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { PartnerKeyRow } from './partner-key.projection';

const hashAndId = selectList(PartnerKeyRow, ['keyHash', 'keyId']);

/** The request guard's look-ups of keys, from the read model. */
@Injectable()
export class StoredPartnerKeys extends PartnerKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async findMany(keysSha256Hex: readonly string[]): Promise<ReadonlyMap<string, PartnerKeyId>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyHash' | 'keyId'>>(
      `SELECT ${hashAndId} FROM {partner_keys}
       WHERE key_hash = ANY($1::text[]) AND revoked_at IS NULL`,
      [keysSha256Hex],
      'find_partner_keys',
    );
    return new Map(rows.map(({ keyHash, keyId }) => [keyHash, asId<PartnerKeyId>(keyId)]));
  }

  async live(keyIds: readonly PartnerKeyId[]): Promise<ReadonlySet<PartnerKeyId>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyId'>>(
      `SELECT ${selectList(PartnerKeyRow, ['keyId'])} FROM {partner_keys} WHERE key_id = ANY($1::uuid[]) AND revoked_at IS NULL`,
      [keyIds],
    );
    return new Set(rows.map(({ keyId }) => asId<PartnerKeyId>(keyId)));
  }
}
