import { partnerKeysProjection } from './partner-key.projection';
import { CreatePartnerKeys1700000000100, PartnerKeyRow } from './partner-key.row';

export { MintPartnerKey, type MintedPartnerKey, type MintRequest } from './mint-partner-key';
export type { PartnerKeyEvent } from './partner-key.events';
export { partnerKeyKind } from './partner-key.stream';
export { PartnersModule } from './partners.module';
export { RevokePartnerKey } from './revoke-partner-key';

/** What the composition root gives to the read store. */
export const partnersReadModel = {
  rows: [PartnerKeyRow],
  migrations: [CreatePartnerKeys1700000000100],
  projections: [partnerKeysProjection],
};
