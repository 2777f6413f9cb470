import { Module } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { FindPartnerKeyHandler, ListPartnerKeysHandler } from './list-partner-keys';
import { MintPartnerKeyHandler } from './mint-partner-key';
import { StoredPartnerKeys } from './partner-key.queries';
import { RegisterPartnerKeyHandler } from './register-partner-key';
import { RevokePartnerKeyHandler } from './revoke-partner-key';
import { PartnerKeyRow, partnerKeysMigrations, partnerKeysProjection } from './partner-key.projection';

/** Partner keys; binds admission's port for reading them. */
@Module({
  providers: [
    FindPartnerKeyHandler,
    ListPartnerKeysHandler,
    MintPartnerKeyHandler,
    RegisterPartnerKeyHandler,
    RevokePartnerKeyHandler,
    StoredPartnerKeys,
    { provide: PartnerKeys, useExisting: StoredPartnerKeys },
  ],
  exports: [PartnerKeys],
})
export class PartnersModule {}

/** The slice's tables and projections in PostgreSQL. */
export const partnersReadModel = {
  rows: [PartnerKeyRow],
  migrations: partnerKeysMigrations,
  projections: [partnerKeysProjection],
};
