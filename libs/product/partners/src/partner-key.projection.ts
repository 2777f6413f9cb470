import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PartnerKeyEvent } from './partner-key.events';
import { partnerKeyKind } from './partner-key.stream';

/** A partner key for admission and for operators' lists. */
@Entity('partner_keys')
export class PartnerKeyRow {
  @PrimaryColumn('uuid') keyId: string;
  @Column('text') keyHash: string;
  @Column('text') label: string;
  /** Whether it may read the feed of all users. */
  @Column('boolean') feed: boolean;
  @Column('text') mintedAt: string;
  @Column('text', { nullable: true }) revokedAt: string | null;
  @Column('bigint') position: number;
}

const partnerKeysMigrations = [
  // The hash is indexed but not unique, because a read model must accept whatever the streams say and never stop.
  migration(
    100,
    'CreatePartnerKeys',
    `
      CREATE TABLE partner_keys (
        key_id uuid PRIMARY KEY, key_hash text NOT NULL, label text NOT NULL,
        minted_at text NOT NULL, revoked_at text, position bigint NOT NULL);
      CREATE INDEX partner_keys_by_hash ON partner_keys (key_hash);
    `,
  ),
  // The new version of the projection fills the table again.
  migration(101, 'AddFeedOfPartnerKeys', 'ALTER TABLE partner_keys ADD COLUMN feed boolean NOT NULL DEFAULT false'),
];

/** One row for each partner key. */
const partnerKeysProjection: Projection<PartnerKeyRow, PartnerKeyEvent> = {
  name: 'partner_keys',
  version: 2,
  row: PartnerKeyRow,
  kinds: [partnerKeyKind],
  keyOf: ({ stream }) => idInStream(partnerKeyKind, stream),
  project: (row, { stream, position, event }) => {
    switch (event.type) {
      case 'partner_key.minted': {
        const keyId = idInStream(partnerKeyKind, stream);
        if (keyId === null) return row;
        const { keyHash, label, feed, at } = event;
        return { keyId, keyHash, label, feed, mintedAt: at, revokedAt: null, position };
      }
      case 'partner_key.feed_granted':
        return row && { ...row, feed: true, position };
      case 'partner_key.revoked':
        return row && { ...row, revokedAt: event.at, position };
      default:
        return unreachable(event);
    }
  },
};

/** The slice's tables and projections in PostgreSQL. */
export const partnersReadModel = {
  rows: [PartnerKeyRow],
  migrations: partnerKeysMigrations,
  projections: [partnerKeysProjection],
};
