import { isJsonObject } from '@app/kernel';
import type { DeploymentIdentity } from '@app/operators';
import { succeeded } from './operator-api';
import type { OperatorApi } from './operator-call';

/** The deployment that a command changes: its address, and its answers about itself. */
export interface NamedDeployment {
  readonly origin: string;
  readonly deploymentId: string | null;
  /** Null for a service older than version 0.2, which does not report it. */
  readonly version: string | null;
  readonly mode: DeploymentIdentity['mode'] | null;
}

/** Asks the deployment behind the API for its name. @throws NoAnswer, and CommandFailed when it refuses */
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

/** The form used in questions and answers: `https://parley.example (production, version 0.2.0, parley/5d1f…)`. */
export function nameInWords({ origin, deploymentId, version, mode }: NamedDeployment): string {
  const said = [mode ?? 'mode unknown', `version ${version ?? 'unknown'}`, deploymentId ?? 'no deployment id yet'];
  return `${origin} (${said.join(', ')})`;
}
