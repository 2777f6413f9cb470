export { FindPartnerKey, ListPartnerKeys } from './partner-key.queries';
export { MintPartnerKey, newPartnerKey, RegisterPartnerKey } from './mint-partner-key';
export { PartnersModule } from './partners.module';
export { RevokePartnerKey } from './revoke-partner-key';
export { partnerKeyKind } from './partner-key.stream';
export { partnersReadModel } from './partner-key.projection';
