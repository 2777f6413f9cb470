import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryInWords, secretKeyBytesMin, secretKeyTexts } from './secret-keys';
import { defaultDataDir } from './service-variables';

/** The settings that production refuses because they belong to a sandbox, as `NAME: rule` (docs/decisions/configuration-and-start.md). */
export function sandboxDefaults(given: NodeJS.ProcessEnv): string[] {
  if (given['PARLEY_MODE'] !== 'production') return [];
  const refused: string[] = [];
  for (const variable of ['OIDC_ISSUER', 'OPERATOR_ISSUER'])
    if (/\/sandbox\/issuer\/*([\s,]|$)/.test(given[variable] ?? '')) refused.push(`${variable}: is a sandbox's issuer`);
  refused.push(...unfitSecretKeys(given));
  return refused;
}

/** Refuses each entry of the secret key that a sandbox generated, or that is not random. */
function unfitSecretKeys({
  PARLEY_SECRET_KEY: value,
  PARLEY_DATA_DIR: dataDir = defaultDataDir,
}: NodeJS.ProcessEnv): string[] {
  if (value === undefined) return [];
  const entries = secretKeyTexts(value);
  const generated = generatedKey(dataDir);
  return entries.flatMap((entry, place) => {
    const subject = `PARLEY_SECRET_KEY: ${entryInWords(place, entries.length)}`;
    return [
      ...(entry === generated ? [`${subject}was generated for a sandbox`] : []),
      ...(isWeak(Buffer.from(entry, 'base64'))
        ? [`${subject}is no random key: make one with openssl rand -base64 32`]
        : []),
    ];
  });
}

/** Minimum number of different bytes, and of different steps between neighbours, in 32 random bytes: fewer have odds below 1 in 10^12. */
const differentMin = 16;

/**
 * Whether a key of full length was made by hand: one byte repeated, a word repeated, consecutive numbers. A separate rule refuses shorter
 * keys.
 */
function isWeak(key: Buffer): boolean {
  const steps = [...key].map((byte, place) => (byte - (key[place - 1] ?? 0)) & 0xff);
  return key.length >= secretKeyBytesMin && (new Set(key).size < differentMin || new Set(steps).size < differentMin);
}

/** The secret key that a sandbox generated in the data folder, if any. */
function generatedKey(dataDir: string): unknown {
  try {
    const secrets: unknown = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
    return typeof secrets === 'object' && secrets !== null && 'secretKey' in secrets ? secrets.secretKey : undefined;
  } catch {
    // No sandbox has run here, or this user may not read its key.
    return undefined;
  }
}

const loopbackHosts = ['127.0.0.1', 'localhost', '::1'];

/** Refuses the addresses that make a sandbox reachable from other machines, as `NAME: rule`. */
export function openInSandbox(given: NodeJS.ProcessEnv): string[] {
  if ((given['PARLEY_MODE'] ?? 'sandbox') !== 'sandbox') return [];
  const open = ['HOST', 'MANAGEMENT_HOST'].filter((name) => !loopbackHosts.includes(given[name] ?? '127.0.0.1'));
  return open.map((name) => `${name}: sandbox mode listens on loopback only`);
}
