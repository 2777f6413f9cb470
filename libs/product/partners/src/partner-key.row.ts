import { migration } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A partner key as admission looks it up and as operators list it. */
@Entity('partner_keys')
export class PartnerKeyRow {
  @PrimaryColumn('uuid') keyId: string;
  @Column('text') keyHash: string;
  @Column('text') label: string;
  @Column('text') mintedAt: string;
  @Column('text', { nullable: true }) revokedAt: string | null;
  @Column('bigint') position: number;
}

export const partnerKeysMigrations = [
  // The hash is indexed but not unique: a read model takes what the streams say and must never stop at it.
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
];
