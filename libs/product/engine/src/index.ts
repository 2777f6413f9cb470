export { ActiveAccounts } from './run/approved-calls';
export { EngineModule, EngineCatalogModule, ToolServersModule } from './engine.module';
export { toolServersGroup } from './mcp/context-keys.contract';
export {
  ModelFailed,
  type Allowance,
  type LanguageModel,
  type ModelReply,
  type ModelRequest,
  type ShowPiece,
  type StepRequest,
  type OfferedArtifact,
  type ToolExchange,
} from './models/model';
export { LocalModels } from './models/models';
export { Tools } from './tools';
