export { FindPartnerKey, ListPartnerKeys } from './list-partner-keys';
export { MintPartnerKey } from './mint-partner-key';
export { PartnersModule, partnersReadModel } from './partners.module';
export { newPartnerKey } from './new-partner-key';
export { RegisterPartnerKey } from './register-partner-key';
export { RevokePartnerKey } from './revoke-partner-key';
export { partnerKeyKind } from './partner-key.stream';
