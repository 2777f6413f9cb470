import { Injectable } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { asId, type PartnerKeyId } from '@app/kernel';
import { Database } from '@app/read-store';

/** Admission's look-up of a key, from the read model. */
@Injectable()
export class StoredPartnerKeys extends PartnerKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async find(keySha256Hex: string): Promise<{ readonly keyId: PartnerKeyId } | null> {
    const [row] = await this.database.query<{ key_id: string }>(
      'SELECT key_id FROM partner_keys WHERE key_hash = $1 AND revoked_at IS NULL LIMIT 1',
      [keySha256Hex],
    );
    return row === undefined ? null : { keyId: asId<PartnerKeyId>(row.key_id) };
  }
}
