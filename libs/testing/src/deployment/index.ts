export { type Deployment, type DeploymentOptions, startDeployment } from './deployment';
export { madeDatabase } from './made-database';
export { startProduction } from './production';
export { testSecretKey } from './secret-key';
