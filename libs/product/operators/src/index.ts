export { streamCategories } from './stream-kinds';
export { OperatorsModule, OperatorWorkModule } from './operators.module';
export { operatorContracts } from './operator-contracts';
export { operatorApi } from './operator-description';
export type { ProjectionList, Rebuild, RebuildList, StartedRebuild } from './projections.schema';
export type { DeploymentIdentity } from './document.schema';
