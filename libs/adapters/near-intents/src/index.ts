export { nearIntents, NearIntentsModule } from './near-intents.module';
export { publicKeyText, signPayload, verifierAccount, type Nep413Payload, type SignedData } from './nep413';
export { encodeNonce } from './nonce';
