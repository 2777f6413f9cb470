// The deployment under load, and its users.
import { startDeployment } from '../bench/deployment.mjs';
import { Client } from './client.mjs';
import { NoLoad } from './options.mjs';

const ensuredAtOnce = 8;
/**
 * Runs of the rules model wait for no provider, so more of them in parallel would only slow each other down. An empty
 * REQUESTS_AT_ONCE means its default; the other limits of the started deployment are too wide to be reached.
 */
const limits = { EXECUTION_CAPACITY: '16', REQUESTS_AT_ONCE: '' };

/**
 * Starts a deployment of api and worker in one process, or uses the named one.
 * @returns {Promise<{users: Client[], pids: number[], stores: object | null, stop: () => Promise<void>}>} `stores`: the
 * addresses of its stores if it was started here, else null
 */
export async function openTarget({ own, users, env, pids }) {
  if (own !== null) {
    const clients = await Promise.all(own.tokens.map((token) => clientOf({ ...own, token })));
    return { users: clients, pids, stores: null, stop: async () => undefined };
  }
  const deployment = await startDeployment({ env: { ...limits, ...env } });
  try {
    // The rules model takes 40 ms for each word, as a reader would like it. The service is measured here, not its
    // model.
    await put(`${deployment.baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 } });
    const clients = await inLanes(users, (index) => newClient(deployment, `load-${index}`));
    return { users: clients, pids: [process.pid], stores: deployment.stores, stop: deployment.stop };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}

async function newClient({ baseUrl, newUser }, subject) {
  const { userId, headers } = await newUser(subject);
  const token = headers.authorization.slice('Bearer '.length);
  return withWallet(new Client({ url: baseUrl, key: headers['x-api-key'], token, userId }));
}

async function clientOf({ url, key, token }) {
  const headers = { 'x-api-key': key, authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/v1/users`, { method: 'POST', headers }).catch((error) => {
    throw new NoLoad(`${url} cannot be reached: ${error.cause?.message ?? error.message}`);
  });
  const body = await response.json();
  if (!response.ok)
    throw new NoLoad(`${url} refuses the key or the token: ${response.status} ${body.reason ?? body.title}`);
  return withWallet(new Client({ url, key, token, userId: body.userId }));
}

async function withWallet(client) {
  await client.post('/wallet');
  return client;
}

async function inLanes(count, make) {
  const made = [];
  let next = 0;
  const lane = async () => {
    while (next < count) made.push(await make(next++));
  };
  await Promise.all(Array.from({ length: ensuredAtOnce }, lane));
  return made;
}

async function put(url, body) {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`PUT ${url}: ${response.status} ${await response.text()}`);
}
