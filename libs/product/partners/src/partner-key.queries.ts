import { Injectable } from '@nestjs/common';
import { PartnerKeys, type KnownPartnerKey } from '@app/http';
import { asId, type PartnerKeyId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { PartnerKeyRow } from './partner-key.projection';

const known = selectList(PartnerKeyRow, ['keyHash', 'keyId', 'feed']);

/** The request guard's queries for keys, from the read model. */
@Injectable()
export class StoredPartnerKeys extends PartnerKeys {
  private readonly listeners = new Set<(keyId: PartnerKeyId) => void>();

  constructor(private readonly database: Database) {
    super();
  }

  onRevoked(listener: (keyId: PartnerKeyId) => void): void {
    this.listeners.add(listener);
  }

  /** Notifies the caches of keys in this process that one was revoked. */
  tellRevoked(keyId: PartnerKeyId): void {
    for (const listener of this.listeners) listener(keyId);
  }

  async findMany(keysSha256Hex: readonly string[]): Promise<ReadonlyMap<string, KnownPartnerKey>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyHash' | 'keyId' | 'feed'>>(
      `SELECT ${known} FROM {partner_keys}
       WHERE key_hash = ANY($1::text[]) AND revoked_at IS NULL`,
      [keysSha256Hex],
      'find_partner_keys',
    );
    return new Map(rows.map(({ keyHash, keyId, feed }) => [keyHash, { keyId: asId<PartnerKeyId>(keyId), feed }]));
  }

  async live(keyIds: readonly PartnerKeyId[]): Promise<ReadonlySet<PartnerKeyId>> {
    const rows = await this.database.query<Pick<PartnerKeyRow, 'keyId'>>(
      `SELECT ${selectList(PartnerKeyRow, ['keyId'])} FROM {partner_keys} WHERE key_id = ANY($1::uuid[]) AND revoked_at IS NULL`,
      [keyIds],
    );
    return new Set(rows.map(({ keyId }) => asId<PartnerKeyId>(keyId)));
  }
}
