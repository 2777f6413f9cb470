export { ActiveAccounts } from './active-accounts';
export { EngineModule, EngineOfferModule } from './engine.module';
export { Tools } from './tools';
