import { isJsonObject } from '@app/kernel';
import type { DeploymentIdentity } from '@app/operators';
import { succeeded } from './operator-api';
import type { OperatorApi } from './operator-call';

/** Which deployment a command changes: where it is reached, and what it says of itself. */
export interface NamedDeployment {
  readonly origin: string;
  readonly deploymentId: string | null;
  /** Null for a service of a version before 0.2, which does not say. */
  readonly version: string | null;
  readonly mode: DeploymentIdentity['mode'] | null;
}

/** Asks the deployment that the API leads to. @throws NoAnswer, and CommandFailed when it refuses */
export async function nameOf({ origin, call }: OperatorApi): Promise<NamedDeployment> {
  const answered = await call({ method: 'GET', path: '/operator/identity.json' });
  if (answered.status === 404) return { origin, deploymentId: null, version: null, mode: null };
  const said = succeeded(answered);
  const { deploymentId, version, mode } = isJsonObject(said) ? said : {};
  return {
    origin,
    deploymentId: typeof deploymentId === 'string' ? deploymentId : null,
    version: typeof version === 'string' ? version : null,
    mode: mode === 'sandbox' || mode === 'production' ? mode : null,
  };
}

/** As questions and answers say it: `https://parley.example (production, version 0.2.0, parley/5d1f…)`. */
export function nameInWords({ origin, deploymentId, version, mode }: NamedDeployment): string {
  const said = [mode ?? 'mode unknown', `version ${version ?? 'unknown'}`, deploymentId ?? 'no deployment id yet'];
  return `${origin} (${said.join(', ')})`;
}
