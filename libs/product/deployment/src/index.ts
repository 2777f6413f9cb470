export { DeploymentControls } from './deployment-controls';
export { DeploymentModule } from './deployment.module';
export { controls, type Control } from './deployment.events';
export { PauseControl } from './pause-control';
export { ResumeControl } from './resume-control';
export { deploymentKind } from './deployment.stream';
