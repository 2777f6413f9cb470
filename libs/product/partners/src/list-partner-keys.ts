import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Instant, PartnerKeyId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { PartnerKeyRow } from './partner-key.projection';

/** A partner key as operators see it, without the key itself, which cannot be shown again. */
export interface ListedPartnerKey {
  readonly keyId: PartnerKeyId;
  readonly label: string;
  readonly feed: boolean;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

const listed = `${selectList(PartnerKeyRow, ['keyId', 'label', 'feed', 'revokedAt'])}, minted_at AS "createdAt"`;

/**
 * Partner keys, including revoked ones, oldest first: the first `limit` after the given one, or from the beginning.
 * @throws Unavailable
 */
export class ListPartnerKeys extends Query<readonly ListedPartnerKey[]> {
  constructor(
    readonly after: PartnerKeyId | null,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListPartnerKeys)
export class ListPartnerKeysHandler implements IQueryHandler<ListPartnerKeys> {
  constructor(private readonly database: Database) {}

  async execute({ after, limit }: ListPartnerKeys): Promise<readonly ListedPartnerKey[]> {
    return this.database.query<ListedPartnerKey>(
      `SELECT ${listed} FROM {partner_keys}
       WHERE $1::uuid IS NULL OR (minted_at, key_id) > (SELECT minted_at, key_id FROM {partner_keys} WHERE key_id = $1)
       ORDER BY minted_at, key_id LIMIT $2`,
      [after, limit],
    );
  }
}

/** The key, possibly revoked, with this lower-case hex SHA-256; null where there is none. @throws Unavailable */
export class FindPartnerKey extends Query<ListedPartnerKey | null> {
  constructor(readonly keyHash: string) {
    super();
  }
}

@QueryHandler(FindPartnerKey)
export class FindPartnerKeyHandler implements IQueryHandler<FindPartnerKey> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ keyHash }: FindPartnerKey): Promise<ListedPartnerKey | null> {
    return this.gate.find(async () => {
      const [key] = await this.database.query<ListedPartnerKey>(
        `SELECT ${listed} FROM {partner_keys} WHERE key_hash = $1 ORDER BY minted_at LIMIT 1`,
        [keyHash],
      );
      return key ?? null;
    });
  }
}
