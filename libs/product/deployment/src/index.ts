export { DeploymentControls } from './deployment-controls';
export { DeploymentModule } from './deployment.module';
export { controls, type Control } from './deployment.events';
export { PauseControl, ResumeControl } from './change-control';
export { deploymentKind } from './deployment.stream';
