import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What production refuses of an environment because it belongs to a sandbox, as `NAME: rule` (docs/decisions/configuration-and-start.md). */
export function sandboxDefaults(given: NodeJS.ProcessEnv, defaultDataDir: string): string[] {
  if (given['PARLEY_MODE'] !== 'production') return [];
  const refused: string[] = [];
  if ((given['WALLET_PROVIDER'] ?? 'sandbox') === 'sandbox')
    refused.push('WALLET_PROVIDER: production takes near-intents only');
  for (const variable of ['OIDC_ISSUER', 'OPERATOR_ISSUER'])
    if (/\/sandbox\/issuer\/*([\s,]|$)/.test(given[variable] ?? '')) refused.push(`${variable}: is a sandbox's issuer`);
  const secretKey = given['PARLEY_SECRET_KEY'];
  if (secretKey !== undefined && secretKey === generatedKey(given['PARLEY_DATA_DIR'] ?? defaultDataDir))
    refused.push('PARLEY_SECRET_KEY: was generated for a sandbox');
  if (secretKey !== undefined && isWeak(Buffer.from(secretKey, 'base64')))
    refused.push('PARLEY_SECRET_KEY: is no random key: make one with openssl rand -base64 32');
  return refused;
}

/** Least different bytes, and different steps between neighbours, of 32 random bytes: fewer have odds below 1 in 10^12. */
const differentMin = 16;

/** Whether a key of full length was made by hand: one byte again and again, a word repeated, numbers in a row. Shorter ones break a rule of their own. */
function isWeak(key: Buffer): boolean {
  const steps = [...key].map((byte, place) => (byte - (key[place - 1] ?? 0)) & 0xff);
  return key.length >= 32 && (new Set(key).size < differentMin || new Set(steps).size < differentMin);
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

const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

/** The addresses that others than this machine reach, where none of them may. */
export function openInSandbox(given: NodeJS.ProcessEnv): readonly string[] {
  if ((given['PARLEY_MODE'] ?? 'sandbox') !== 'sandbox') return [];
  return ['HOST', 'MANAGEMENT_HOST'].filter((name) => !loopbackHosts.includes(given[name] ?? '127.0.0.1'));
}
