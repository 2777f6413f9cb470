export { type Deployment, type DeploymentOptions, startDeployment } from './deployment';
