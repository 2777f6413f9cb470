// Rebuilds every read model by the command line while requests arrive at a steady rate. The process that rebuilds is
// killed three times, and the command line too. Then a row is altered by hand, and the next rebuild must find it.
// Prints a line of JSON with the observations; progress goes to stderr.
import { parseArgs } from 'node:util';
import { alteredRow } from './altered-row.mjs';
import { Client } from './client.mjs';
import { multiply, shortHistory, untilProjected } from './history.mjs';
import { startLayout } from './layouts.mjs';
import { operatorOf } from './operator.mjs';
import { rebuildKilled, switchAll } from './rebuilding.mjs';
import { Caller } from './requests.mjs';
import { SteadyRequests } from './steady.mjs';
import { comeFirst } from './priority.mjs';
import { setTimeout as sleep } from 'node:timers/promises';

const usersAtOnce = 8;

const { values } = parseArgs({
  options: {
    layout: { type: 'string', default: 'apart' },
    events: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '200' },
    calm: { type: 'string', default: '60' },
    users: { type: 'string', default: '40' },
    history: { type: 'string', default: '30' },
  },
});
const asked = { ...values, events: Number(values.events), rate: Number(values.rate), calm: Number(values.calm) };
const startedMs = performance.now();
const tell = (line) => console.error(`${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${line}`);

const deployment = await startLayout(asked.layout);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void deployment.stop().finally(() => process.exit(1)));
try {
  console.log(JSON.stringify(await scenario()));
} finally {
  await deployment.stop();
}

async function scenario() {
  const { baseUrl, parts } = deployment;
  const operator = await operatorOf(baseUrl);
  const users = await newUsers(operator, Number(values.users));
  await shortHistory(deployment, users, Number(values.history));
  tell('the short history is over');
  await parts.stop();
  const events = await multiply(deployment, asked.events);
  await parts.start();
  const projections = await untilProjected(operator);
  tell(`${events} events are projected into ${projections.length} read models`);
  comeFirst();
  const requests = new SteadyRequests(
    users.map((user) => new Caller(user)),
    asked.rate,
  );
  try {
    await sleep((asked.calm * 1000) / 4); // the latencies of a process that is warming up are not representative
    requests.enter('before');
    await sleep(asked.calm * 1000);
    requests.enter('rebuild');
    const rebuilt = await rebuildKilled({ deployment, operator, requests, projections, tell });
    requests.enter('switch');
    const switched = await switchAll(operator, projections);
    tell(`${switched.length} are switched`);
    await sleep(2_000);
    requests.enter('after');
    const altered = await alteredRow(deployment, operator, users);
    tell(`a row altered by hand: ${JSON.stringify(altered)}`);
    await requests.stop();
    return {
      layout: asked.layout,
      events,
      rate: asked.rate,
      rebuilt,
      switched: switched.length,
      altered,
      stretches: figuresOf(requests),
    };
  } finally {
    await requests.stop();
  }
}

/**
 * The figures of each stretch. `slow` is the share of requests that took more than twice the median of their kind in
 * the stretch `before`.
 */
function figuresOf({ stretches }) {
  const medians = new Map(
    stretches
      .get('before')
      .recorder.figures()
      .map(({ kind, p50 }) => [kind, p50]),
  );
  return Object.fromEntries(
    [...stretches].map(([name, { recorder, older }]) => {
      const { refusals, failures, whole } = recorder;
      const slow = (kind) => whole.get(kind).slowerThan(2 * (medians.get(kind) ?? Number.POSITIVE_INFINITY));
      const figures = recorder.figures().map((one) => ({ ...one, slow: slow(one.kind) }));
      return [name, { figures, refusals: Object.fromEntries(refusals), failures, older }];
    }),
  );
}

async function newUsers(operator, count) {
  const { status, body } = await operator.change('/partner-keys', { label: 'load' });
  if (status !== 201) throw new Error(`no key was minted: ${status} ${JSON.stringify(body)}`);
  await put('/sandbox/v1/faults', { model: { delayMs: 0 } });
  const users = [];
  for (let from = 0; from < count; from += usersAtOnce) {
    const numbers = Array.from({ length: Math.min(usersAtOnce, count - from) }, (_, n) => from + n);
    users.push(...(await Promise.all(numbers.map((number) => newUser(body.key, `load-${number}`)))));
  }
  return users;
}

async function newUser(key, subject) {
  const { accessToken } = await put('/sandbox/v1/tokens', { subject, expiresInSeconds: 86_400 }, 'POST');
  const headers = { 'x-api-key': key, authorization: `Bearer ${accessToken}` };
  const { userId } = await put('/v1/users', undefined, 'POST', headers);
  const client = new Client({ url: deployment.baseUrl, key, token: accessToken, userId });
  await client.post('/wallet');
  return client;
}

async function put(path, body, method = 'PUT', headers = {}) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(deployment.baseUrl + path, { method, headers: { ...headers, ...type }, ...json });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
