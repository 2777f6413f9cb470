import { Module } from '@nestjs/common';
import { PartnerKeys } from '@app/http';
import { MintPartnerKey } from './mint-partner-key';
import { StoredPartnerKeys } from './partner-key.queries';
import { RevokePartnerKey } from './revoke-partner-key';

/** Partner keys; binds the port by which admission looks them up. */
@Module({
  providers: [MintPartnerKey, RevokePartnerKey, { provide: PartnerKeys, useClass: StoredPartnerKeys }],
  exports: [MintPartnerKey, RevokePartnerKey, PartnerKeys],
})
export class PartnersModule {}
