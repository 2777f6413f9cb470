/** Issue 5, items 3 and 4: sources are sampled, due times fire, and occurrences become runs; with the moved clock. */
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import { until } from '../support/until';
import { ether, usdc, wrappedNear as near } from './money';

interface Occurrence {
  readonly id: string;
  readonly at: string;
  readonly delivery: string;
  readonly trigger: string;
  readonly runId: string | null;
  readonly conversationId: string | null;
  readonly reason: { readonly text: string } | null;
}

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  user = await deployment.newUser();
}, 60_000);
afterAll(async () => deployment.stop(), 60_000);

const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };
const base = { name: 'Look', prompt: 'repeat after me: ok', conversation: 'new', condition: null, firing };

async function create(definition: object): Promise<string> {
  const { status, body } = await user.post<{ id: string }>('/automations', { ...base, ...definition });
  if (status !== 201) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Moves the service clock, all the way. */
async function advance(seconds: number): Promise<string> {
  for (let left = seconds; ;) {
    const moved = await deployment.sandbox<{ now: string; remainingSeconds: number }>('POST', 'clock', {
      advanceSeconds: left,
    });
    if (moved.remainingSeconds === 0) return moved.now;
    left = moved.remainingSeconds;
  }
}

async function occurrences(automationId: string): Promise<readonly Occurrence[]> {
  const { body } = await user.get<{ data: Occurrence[] }>(`/automations/${automationId}/occurrences?limit=100`);
  return body.data;
}

async function untilIdle(automationId: string): Promise<readonly Occurrence[]> {
  return until('the end of all runs', async () => {
    const all = await occurrences(automationId);
    const runs = await Promise.all(
      all.map(async ({ runId }) => (runId === null ? null : (await user.get(`/agent-runs/${runId}`)).body)),
    );
    const isDone = runs.every((run) => run === null || run['status'] === 'completed');
    return isDone && all.every(({ delivery }) => delivery !== 'pending') ? all : null;
  });
}

test('an automation looks every minute, and each look starts a run', async () => {
  const id = await create({ wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } } });
  await advance(180);
  const all = await untilIdle(id);
  expect(all).toHaveLength(3);
  expect(all.map(({ delivery, trigger }) => [delivery, trigger])).toEqual(Array(3).fill(['accepted', 'schedule']));
  const dueAtMs = all.map(({ at }) => Date.parse(at));
  expect([dueAtMs[0]! - dueAtMs[1]!, dueAtMs[1]! - dueAtMs[2]!]).toEqual([60_000, 60_000]);
  await user.request('DELETE', `/automations/${id}`);
}, 60_000);

test('a rule about a price fires at its edge, on the price of that minute', async () => {
  await deployment.sandbox('PUT', `prices/${encodeURIComponent(near)}`, { priceUsd: '3' });
  const id = await create({
    wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
    condition: {
      bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: near }, maxAgeSeconds: 120 }],
      rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
    },
    firing: { ...firing, trigger: 'edge' },
  });
  await advance(150);
  expect(await occurrences(id)).toEqual([]);
  await deployment.sandbox('PUT', `prices/${encodeURIComponent(near)}`, { priceUsd: '1.9' });
  const tested = await user.post<{ evaluation: { verdict: string } }>(`/automations/${id}/test-condition`, {});
  expect(tested.body.evaluation.verdict).toBe('true');
  await advance(240);
  expect(await untilIdle(id)).toHaveLength(1);
  await deployment.sandbox('PUT', `prices/${encodeURIComponent(near)}`, { priceUsd: '2' });
  await advance(60);
  await deployment.sandbox('PUT', `prices/${encodeURIComponent(near)}`, { priceUsd: '1.8' });
  await advance(120);
  expect(await untilIdle(id)).toHaveLength(2);
  await user.request('DELETE', `/automations/${id}`);
}, 60_000);

test('an hour is moved through quickly, with three sources and ten automations', async () => {
  const sources = [
    { kind: 'token_price', tokenId: near },
    { kind: 'token_price', tokenId: ether },
    { kind: 'wallet_balance', tokenId: usdc },
  ];
  await user.post('/wallet');
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      create({
        wake: { kind: 'schedule', schedule: { kind: 'cron', expression: '* * * * *', timezone: 'UTC' } },
        condition: {
          bindings: [{ name: 'source', source: sources[index % 3], maxAgeSeconds: 120 }],
          rule: { not: { exists: { binding: 'source', field: '/tokenId' } } },
        },
      }),
    ),
  );
  const startedMs = performance.now();
  await advance(3_600);
  const tookMs = performance.now() - startedMs;
  process.stdout.write(`an hour with 3 sources and 10 automations: ${Math.round(tookMs)} ms\n`);
  const statuses = await Promise.all(ids.map(async (id) => (await user.get(`/automations/${id}/status`)).body));
  for (const status of statuses) expect(status).toMatchObject({ monitoring: 'healthy' });
  for (const id of ids) await user.request('DELETE', `/automations/${id}`);
}, 120_000);

describe('time zones', () => {
  it('leave an hour out, and show one twice', async () => {
    // On 2027-03-28 clocks in Berlin go from 02:00 to 03:00, on 2026-10-25 from 03:00 back to 02:00.
    const { now } = await deployment.sandbox<{ now: string }>('GET', 'clock');
    const daily = { kind: 'schedule', schedule: { kind: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' } };
    const id = await create({ wake: daily });
    const until = (instant: string) => Math.ceil((Date.parse(instant) - Date.parse(now)) / 1000);
    const changes = Date.parse(now) < Date.parse('2027-03-26T00:00:00Z') ? '2027-03-29T12:00:00Z' : null;
    if (changes === null) throw new Error('the clock is past the change that this test is about');
    await advance(until(changes));
    const all = await untilIdle(id);
    expect(all.map(({ at }) => at).slice(0, 4)).toEqual([
      '2027-03-29T00:30:00.000Z',
      '2027-03-28T01:00:00.000Z',
      '2027-03-27T01:30:00.000Z',
      '2027-03-26T01:30:00.000Z',
    ]);
    await user.request('DELETE', `/automations/${id}`);
  }, 300_000);
});
