import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What production refuses of an environment because it belongs to a sandbox, as `NAME: rule` (docs/decisions/configuration-and-start.md). */
export function sandboxDefaults(given: NodeJS.ProcessEnv, defaultDataDir: string): string[] {
  if (given['PARLEY_MODE'] !== 'production') return [];
  const refused: string[] = [];
  if ((given['WALLET_PROVIDER'] ?? 'sandbox') === 'sandbox')
    refused.push('WALLET_PROVIDER: production takes near-intents only');
  if (given['OIDC_ISSUER']?.replace(/\/+$/, '').endsWith('/sandbox/issuer') === true)
    refused.push("OIDC_ISSUER: is a sandbox's issuer");
  const secretKey = given['PARLEY_SECRET_KEY'];
  if (secretKey !== undefined && secretKey === generatedKey(given['PARLEY_DATA_DIR'] ?? defaultDataDir))
    refused.push('PARLEY_SECRET_KEY: was generated for a sandbox');
  return refused;
}

/** The secret key that a sandbox generated into the data folder, if one did. */
function generatedKey(dataDir: string): unknown {
  try {
    const secrets: unknown = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
    return typeof secrets === 'object' && secrets !== null && 'secretKey' in secrets ? secrets.secretKey : undefined;
  } catch {
    // No sandbox ever ran here, or none whose key this user may read.
    return undefined;
  }
}
