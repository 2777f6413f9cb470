import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../src/configuration';

export const secretKey = 'Wq2uYw5oXOJZ9uB0z6nG1Xy8cXh3m4kQv7pTtR5sLfE=';

/** All settings that production requires. */
export const production = {
  PARLEY_MODE: 'production',
  PARLEY_SECRET_KEY: secretKey,
  OIDC_ISSUER: 'https://id.example',
  WALLET_PROVIDER: 'near-intents',
  SOLVER_RELAY_TOKEN: 'for-the-relay',
};

/** The error message for an environment that must be refused. */
export function messageOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfiguration(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('the environment was accepted');
}
