/** Sources are sampled, due times fire, and occurrences become runs; with a moved clock. */
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { ether, usdc, wrappedNear as near } from '@app/testing/journeys';

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
});
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
});

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
});

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
});

const dayMs = 86_400_000;

/** The next change of clocks in Berlin at least two days after the instant: at 01:00 UTC on a last Sunday. */
function nextChange(afterMs: number): { readonly atMs: number; readonly forward: boolean } {
  const year = new Date(afterMs).getUTCFullYear();
  const changes = [year, year + 1].flatMap((of) => [
    { atMs: lastSunday(of, 2) + 3_600_000, forward: true },
    { atMs: lastSunday(of, 9) + 3_600_000, forward: false },
  ]);
  const next = changes.find(({ atMs }) => atMs > afterMs + 2 * dayMs);
  if (next === undefined) throw new Error('clocks change twice a year');
  return next;
}

function lastSunday(year: number, month: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0));
  return lastDay.getTime() - lastDay.getUTCDay() * dayMs;
}

test('in a time zone an hour that is left out is due at the next valid instant, and one shown twice is due once', async () => {
  const schedule = { kind: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' };
  for (let changes = 0; changes < 2; changes += 1) {
    const { now } = await deployment.sandbox<{ now: string }>('GET', 'clock');
    const { atMs, forward } = nextChange(Date.parse(now));
    await advance(Math.ceil((atMs - 1.5 * dayMs - Date.parse(now)) / 1000));
    user = await deployment.newUser();
    const id = await create({ wake: { kind: 'schedule', schedule } });
    await advance((3 * dayMs) / 1000);
    const dueFromChange = (await untilIdle(id)).map(({ at }) => (Date.parse(at) - atMs) / 60_000).reverse();
    // In minutes from the change: 02:30 in winter is 01:30 UTC, in summer 00:30 UTC; on the day in spring it is 01:00 UTC.
    const day = 24 * 60;
    expect(dueFromChange).toEqual(forward ? [30 - day, 0, day - 30] : [-30 - day, -30, day + 30]);
    await user.request('DELETE', `/automations/${id}`);
  }
});
