/**
 * One caller's requests must not hold up other callers: sends the worst bodies and queries of every operation, and measures the longest
 * pause of the service's event loop that they cause. Pauses are measured in processor time of the main thread, in milliseconds of an
 * ordinary core (`stall-probe.cjs`), so a slow or busy machine does not change them.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { operations, pathOf } from '../e2e/operations';
import { thingsOf, usedUpBy } from '../e2e/things';
import type { Ids, OperationCall } from '../e2e/operation-call';
import { requestJson, type TestClient } from '@app/testing/client';
import { type Sandbox, startSandbox } from '@app/testing/processes';
import { until } from '@app/testing/until';
import { hostileBodies, hostileQueries } from './hostile-bodies';
import { StallMeter } from './stall-meter';
import { definition, heavyData, worstBodiesOf } from './worst-bodies';

const pauseMaxMs = 100;
jest.setTimeout(300_000); // hundreds of requests, on a machine that may be crowded

let meter: StallMeter;
let sandbox: Sandbox;
let user: TestClient;
let ids: Ids;
const figures = new Map<string, number>();
beforeAll(async () => {
  meter = await StallMeter.open();
  const rates = { RATE_LIMIT_USER_PER_MINUTE: '1000000', RATE_LIMIT_KEY_PER_MINUTE: '1000000' };
  const budget = { BUDGET_DAY_CENTS: '10000000', BUDGET_MONTH_CENTS: '10000000' };
  sandbox = await startSandbox({ ...rates, ...budget, ...meter.env('standalone') });
  user = sandbox.client;
  await requestJson('PUT', `${user.baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 } });
  await user.post('/v1/users');
  ids = { ...(await thingsOf(user)), ...(await heavyRule()) };
});
afterAll(async () => {
  const [operation, worst] = [...figures].sort(([, one], [, other]) => other - one)[0] ?? ['nothing', 0];
  console.log(
    [...figures].map(([of, ms]) => `stall: ${of} worst ${ms} ms`).join('\n') +
      `\nstall: the worst of all is ${operation}, ${worst} ms (bound ${pauseMaxMs} ms)`,
  );
  await sandbox.stop();
  await meter.close();
});

const signals = 40;

/** A rule that is expensive to evaluate, with signals for a simulation. */
async function heavyRule(): Promise<Pick<Ids, 'automationId' | 'revision'>> {
  const { automationId, revision } = await definedAs(definition());
  for (let count = 0; count < signals; count += 1) {
    const signal = { revision, idempotencyKey: randomUUID(), input: heavyData };
    expect((await user.post(`/automations/${automationId}/signal`, signal)).status).toBe(200);
  }
  return { automationId, revision };
}

async function definedAs(body: object): Promise<Pick<Ids, 'automationId' | 'revision'>> {
  const answer = await user.post<{ id: string; revision: string }>('/automations', body);
  expect(answer).toMatchObject({ status: 201 });
  return { automationId: answer.body.id, revision: answer.body.revision };
}

const taking = operations.filter(({ body, query, bytes }) => body ?? query ?? bytes);

describe('the measurement', () => {
  it.each<[string, string, (pauseMs: number) => boolean]>([
    [
      'sees a pause in which the process works',
      'let n = 0; for (const end = process.cpuUsage().user + 8e5; process.cpuUsage().user < end;) for (let i = 0; i < 1e5; i += 1) n += i;',
      (ms) => ms > pauseMaxMs,
    ],
    [
      'sees none in which it only waits',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);',
      (ms) => ms < pauseMaxMs,
    ],
  ])('%s', async (_, pause, fits) => {
    const code = `setInterval(() => undefined, 1000); process.stdout.write('.'); process.stdin.once('data', () => { ${pause} process.stdout.write('.'); })`;
    const child = spawn(process.execPath, ['-e', code], { env: meter.env(null), stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      await meter.read(child.pid ?? 0);
      const paused = once(child.stdout, 'data');
      child.stdin.write('.');
      await paused;
      const { pauseMs } = await meter.read(child.pid ?? 0);
      expect(fits(pauseMs)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('the longest pause of the event loop', () => {
  it('is measured for every operation that takes a body', () => {
    const withBody = operations.flatMap(({ operation, body }) => (body === undefined ? [] : [{ operation, body }]));
    const unmeasured = withBody.filter(({ operation, body }) => worstBodiesOf(operation, body(ids), ids).length === 0);
    expect(unmeasured.map(({ operation }) => operation)).toEqual([]);
  });

  it.each(taking.map((call) => [call.operation, call] as const))('is short whatever %s is sent', async (name, call) => {
    const asked = ids;
    ids = { ...ids, ...(await usedUpBy(name, user)) };
    await send(call, call.body === undefined ? null : JSON.stringify(call.body(ids)), '');
    await settled();
    await meter.read(sandbox.pid);
    for (const [body, query] of worstOf(call)) {
      const status = await send(call, body, query);
      expect(status).toBeLessThan(500);
      // Reads and refused requests start no run.
      if (call.method !== 'GET' && status < 300) await settled();
    }
    const { pauseMs } = await meter.read(sandbox.pid);
    figures.set(name, Math.round(pauseMs));
    ids = asked;
    expect(pauseMs).toBeLessThan(pauseMaxMs);
  });
});

/** Each worst body without a query, and each worst query without a body. */
function worstOf(call: OperationCall): readonly (readonly [string | null, string])[] {
  const wellFormed = call.body?.(ids);
  const bodies = wellFormed === undefined ? [] : hostileBodies(wellFormed);
  const worst = wellFormed === undefined ? [] : worstBodiesOf(call.operation, wellFormed, ids);
  const own = worst.map((body) => JSON.stringify(body));
  const queries = Object.keys(call.query ?? (call.bytes ? { name: '' } : {})).flatMap((name) =>
    hostileQueries.map((text) => `?${name}=${text}`),
  );
  return [...[...bodies, ...own].map((body) => [body, ''] as const), ...queries.map((query) => [null, query] as const)];
}

/** The status of the answer. @param query replaces the call's own query unless it is empty */
async function send(call: OperationCall, body: string | null, query: string): Promise<number> {
  const [plain = ''] = pathOf(call, ids).split('?');
  const path = query === '' ? pathOf(call, ids) : plain + query;
  const answer = await fetch(user.url(path), {
    method: call.method,
    headers: { ...user.headers, 'content-type': call.bytes ? 'text/plain' : 'application/json' },
    ...(body !== null && { body }),
    ...(call.bytes !== undefined && { body: call.bytes.body }),
  });
  await (call.streams ? answer.body?.cancel() : answer.arrayBuffer());
  return answer.status;
}

/** Waits until the conversation has no live run. */
async function settled(): Promise<void> {
  await until('the end of the run', async () => {
    const { body } = await user.get(`/conversations/${ids.conversationId}`);
    return body['liveRunId'] === null ? true : null;
  });
}
