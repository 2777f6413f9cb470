export { DeploymentControls } from './deployment-controls';
export { DeploymentModule } from './deployment.module';
export type { Control } from './deployment.events';
export { PauseControl } from './pause-control';
export { ResumeControl } from './resume-control';
