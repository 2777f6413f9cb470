export { type Deployment, type DeploymentOptions, startDeployment } from './deployment';
export { startProduction } from './production';
