import { readFileSync } from 'node:fs';

/** File in which `npm start` of the repository writes the address of its sandbox. */
const sandboxFile = new URL('../../../.parley/sandbox.json', import.meta.url);

/**
 * @typedef {object} Settings
 * @property {string} baseUrl address of Parley, equal to its PUBLIC_URL: the issuer of its signatures
 * @property {string} name of this server in MCP_SERVERS: the audience of the signatures
 * @property {string} host the address to listen on
 * @property {number} port
 * @property {string} ordersFile the file that records the effects of calls
 */

/**
 * Reads the settings from the environment; the address of Parley, if not set, comes from the sandbox of this repository.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 */
export function readSettings(env) {
  return {
    baseUrl: (env.PARLEY_BASE_URL ?? sandboxUrl()).replace(/\/+$/, ''),
    name: env.SERVER_NAME ?? 'orders',
    host: env.HOST ?? '127.0.0.1',
    port: Number(env.PORT ?? 3100),
    ordersFile: env.ORDERS_FILE ?? 'orders.jsonl',
  };
}

function sandboxUrl() {
  try {
    return String(JSON.parse(readFileSync(sandboxFile, 'utf8')).baseUrl);
  } catch (cause) {
    const hint = 'run `npm start` in the repository first, or set PARLEY_BASE_URL';
    throw new Error(`There is no Parley to work for: ${hint}.`, { cause });
  }
}
