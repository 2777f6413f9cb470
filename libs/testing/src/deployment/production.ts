import { LoopbackIssuer } from '../identity';
import { startDeployment, type Deployment } from './deployment';

/**
 * Starts a deployment in production mode, in the jest process, with an issuer of its own and without any part of the
 * sandbox.
 */
export async function startProduction(): Promise<Deployment> {
  const issuer = new LoopbackIssuer();
  await issuer.start();
  const production = await startDeployment({
    mode: 'in-process',
    env: {
      PARLEY_MODE: 'production',
      OIDC_ISSUER: issuer.issuer,
      WALLET_PROVIDER: 'near-intents',
      SOLVER_RELAY_TOKEN: 'for-the-relay',
    },
  });
  return {
    ...production,
    async stop() {
      await production.stop();
      await issuer.stop();
    },
  };
}
