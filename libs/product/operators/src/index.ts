export { CannotSeal, hasClearWords, SealedCopies } from './streams/seal-copies';
export { streamCategories } from './streams/stream-kinds';
export { OperatorsModule, OperatorWorkModule } from './operators.module';
export { operatorContracts } from './operator-contracts';
export { operatorApi } from './document/operator-description';
export type { ProjectionList, Rebuild, RebuildList, StartedRebuild } from './projections/projections.schema';
export type { DeploymentIdentity } from './document/document.contract';
