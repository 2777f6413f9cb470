import { readFileSync } from 'node:fs';

/** Where `npm start` of the repository writes where its sandbox is. */
const sandboxFile = new URL('../../../.parley/sandbox.json', import.meta.url);

/**
 * @typedef {object} Settings
 * @property {string} baseUrl where Parley is, as its PUBLIC_URL says: the issuer of what it signs
 * @property {string} name of this server in MCP_SERVERS: whom it is signed for
 * @property {string} host the address to listen on
 * @property {number} port
 * @property {string} ordersFile where what was done is written down
 */

/**
 * Reads the settings from the environment, and from the sandbox of this repository where the environment is silent.
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
