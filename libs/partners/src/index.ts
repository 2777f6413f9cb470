export { MintPartnerKey, type MintedPartnerKey, type MintRequest } from './mint-partner-key';
export type { PartnerKeyEvent } from './partner-key.events';
export { partnerKeyKind } from './partner-key.stream';
export { PartnersModule, partnersReadModel } from './partners.module';
export { RevokePartnerKey } from './revoke-partner-key';
