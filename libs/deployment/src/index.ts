export { DeploymentControls } from './deployment-controls';
export type { DeploymentState } from './deployment.decider';
export type { Control, DeploymentEvent } from './deployment.events';
export { DeploymentModule } from './deployment.module';
export { deploymentId, deploymentKind } from './deployment.stream';
export { PauseControl, type ControlChange } from './pause-control';
