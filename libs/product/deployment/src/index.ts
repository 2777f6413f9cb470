export { DeploymentControls } from './deployment-controls';
export { DeploymentModule } from './deployment.module';
export { PauseControl } from './pause-control';
