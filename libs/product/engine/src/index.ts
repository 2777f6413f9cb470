export { ActiveAccounts } from './active-accounts';
export { EngineModule, EngineCatalogModule } from './engine.module';
export {
  ModelFailed,
  type LanguageModel,
  type ModelReply,
  type ModelRequest,
  type OfferedArtifact,
  type ToolExchange,
} from './model';
export { LocalModels } from './models';
export { Tools } from './tools';
