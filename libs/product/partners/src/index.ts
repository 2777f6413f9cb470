export { ListPartnerKeys } from './list-partner-keys';
export { MintPartnerKey } from './mint-partner-key';
export { PartnersModule, partnersReadModel } from './partners.module';
export { RevokePartnerKey } from './revoke-partner-key';
