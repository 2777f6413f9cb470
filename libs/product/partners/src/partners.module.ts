import { Module } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { MintPartnerKey } from './mint-partner-key';
import { PartnerKeyList, StoredPartnerKeys } from './partner-key.queries';
import { RevokePartnerKey } from './revoke-partner-key';
import { PartnerKeyRow, partnerKeysMigrations, partnerKeysProjection } from './partner-key.projection';

/** Partner keys; binds the port by which admission looks them up. */
@Module({
  providers: [MintPartnerKey, RevokePartnerKey, PartnerKeyList, { provide: PartnerKeys, useClass: StoredPartnerKeys }],
  exports: [MintPartnerKey, RevokePartnerKey, PartnerKeyList, PartnerKeys],
})
export class PartnersModule {}

/** What the slice keeps in PostgreSQL. */
export const partnersReadModel = {
  rows: [PartnerKeyRow],
  migrations: partnerKeysMigrations,
  projections: [partnerKeysProjection],
};
