// The operator API, and its command line in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from '../bench/product.mjs';
import { asUsual } from './priority.mjs';

const scopes = ['deployment', 'projections', 'keys'];
const patienceMs = 60_000;
const askAgainMs = 100;

/**
 * Creates an operator of a sandbox, with all scopes that the scenario needs. Repeats failed reads, also while the
 * service is down.
 */
export async function operatorOf(baseUrl) {
  const { accessToken } = await patiently(() =>
    send('POST', `${baseUrl}/sandbox/v1/operator-tokens`, {}, { subject: 'ada', scopes }),
  );
  const headers = { authorization: `Bearer ${accessToken}` };
  const at = (path) => `${baseUrl}/operator/v1${path}`;
  const get = (path) => patiently(() => send('GET', at(path), headers));
  return {
    token: accessToken,
    deployment: () => get('/deployment'),
    projections: async () => (await get('/projections')).data,
    rebuilds: async () => (await get('/rebuilds')).data,
    differences: async (id) => (await get(`/rebuilds/${id}/differences`)).data,
    /** Returns the status and the body, whatever they are. */
    change: (path, body) => answerOf('POST', at(path), headers, { reason: 'the load asks for it', ...body }),
  };
}

/** Starts the parley command against the service, as a process that can be killed. */
export function parley(baseUrl, { token }, args) {
  const env = { PATH: process.env.PATH, PARLEY_URL: baseUrl, PARLEY_OPERATOR_TOKEN: token };
  const child = asUsual(spawn(process.execPath, [program('cli'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output }));
  return { ended, kill: () => child.kill('SIGKILL') };
}

async function patiently(ask) {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await sleep(askAgainMs);
    }
  }
}

async function send(method, url, headers, body) {
  const answer = await answerOf(method, url, headers, body);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function answerOf(method, url, headers, body) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { ...headers, 'content-type': 'application/json' }, ...json });
  return { status: response.status, body: await response.json() };
}
