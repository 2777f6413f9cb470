import { Module } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { partnerKeyQueries, StoredPartnerKeys } from './partner-key.queries';
import { mintHandlers } from './mint-partner-key';
import { RevokePartnerKeyHandler } from './revoke-partner-key';

/** Partner keys; binds admission's port for reading them. */
@Module({
  providers: [
    ...mintHandlers,
    ...partnerKeyQueries,
    RevokePartnerKeyHandler,
    StoredPartnerKeys,
    { provide: PartnerKeys, useExisting: StoredPartnerKeys },
  ],
  exports: [PartnerKeys],
})
export class PartnersModule {}
