import { readFileSync } from 'node:fs';

/** File in which `npm start` of the repository writes the access to its sandbox. */
const sandboxFile = new URL('../../../.parley/sandbox.json', import.meta.url);

/**
 * @typedef {object} Settings
 * @property {string} baseUrl address of Parley
 * @property {string} partnerKey the company's own secret: it is sent only to Parley, and never to a browser
 * @property {string} host the address to listen on
 * @property {number} port
 * @property {URL} publicOrigin address of the page for browsers; behind a proxy that terminates TLS, its https address
 */

/**
 * Reads the settings from the environment; those that are not set come from the sandbox of this repository.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 */
export function readSettings(env) {
  const host = env.HOST ?? '127.0.0.1';
  const port = Number(env.PORT ?? 3000);
  const publicOrigin = new URL(env.PUBLIC_ORIGIN ?? `http://${host}:${port}`);
  return { ...readAccess(env), host, port, publicOrigin };
}

/** @param {NodeJS.ProcessEnv} env */
function readAccess({ PARLEY_BASE_URL: baseUrl, PARLEY_PARTNER_KEY: partnerKey }) {
  if (baseUrl && partnerKey) return { baseUrl, partnerKey };
  if (baseUrl || partnerKey) throw new Error('Set both PARLEY_BASE_URL and PARLEY_PARTNER_KEY, or neither.');
  try {
    const { baseUrl, partnerKey } = JSON.parse(readFileSync(sandboxFile, 'utf8'));
    return { baseUrl: String(baseUrl), partnerKey: String(partnerKey) };
  } catch (cause) {
    const hint = 'run `npm start` in the repository first, or set PARLEY_BASE_URL and PARLEY_PARTNER_KEY';
    throw new Error(`There is no Parley to speak to: ${hint}.`, { cause });
  }
}
