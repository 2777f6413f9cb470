import { CannotStart } from '@app/composition';
import type { Configuration } from '@app/runtime';
import { readSecrets } from './secrets';

/**
 * Production takes nothing from a sandbox but its stores, and says so about those (decisions.md, section 11).
 * @throws CannotStart that names everything which is a sandbox's
 */
export async function refuseSandboxDefaults(
  { env, sandbox, issuer }: Configuration,
  log: (line: string) => void,
): Promise<void> {
  if (sandbox) return;
  const generated = await readSecrets(env.PARLEY_DATA_DIR);
  const refused = [
    ...(generated !== null && env.PARLEY_SECRET_KEY === generated.secretKey
      ? ['  PARLEY_SECRET_KEY: was generated for a sandbox']
      : []),
    ...(issuer.replace(/\/$/, '').endsWith('/sandbox/issuer') ? ["  OIDC_ISSUER: is a sandbox's issuer"] : []),
  ];
  if (refused.length > 0) throw new CannotStart(`Production refuses what belongs to a sandbox:\n${refused.join('\n')}`);
  if (env.DATABASE_URL === undefined)
    log('warning: the embedded PostgreSQL runs on this machine alone; DATABASE_URL names another');
  if (env.EVENTSTORE_URL === undefined)
    log('warning: the embedded event store runs on this machine alone; EVENTSTORE_URL names another');
}
