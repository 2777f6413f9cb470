export { MintPartnerKey } from './mint-partner-key';
export { PartnerKeyList } from './partner-key.queries';
export { PartnersModule, partnersReadModel } from './partners.module';
export { RevokePartnerKey } from './revoke-partner-key';
