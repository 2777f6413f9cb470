export { ActiveAccounts } from './active-accounts';
export { EngineModule, EngineCatalogModule } from './engine.module';
export { Tools } from './tools';
