import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { PartnerKeys, type KnownPartnerKey } from '@app/http';
import { asId, type Instant, type PartnerKeyId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
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

/** A partner key as operators see it, without the key itself, which cannot be shown again. */
export interface ListedPartnerKey {
  readonly keyId: PartnerKeyId;
  readonly label: string;
  readonly feed: boolean;
  readonly createdAt: Instant;
  readonly revokedAt: Instant | null;
}

const listed = `${selectList(PartnerKeyRow, ['keyId', 'label', 'feed', 'revokedAt'])}, minted_at AS "createdAt"`;

/** Partner keys, including revoked ones, oldest first: the first `limit` after the given one, or from the beginning. @throws Unavailable */
export class ListPartnerKeys extends Query<readonly ListedPartnerKey[]> {
  constructor(
    readonly after: PartnerKeyId | null,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListPartnerKeys)
class ListPartnerKeysHandler implements IQueryHandler<ListPartnerKeys> {
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
class FindPartnerKeyHandler implements IQueryHandler<FindPartnerKey> {
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

export const partnerKeyQueries = [ListPartnerKeysHandler, FindPartnerKeyHandler];
