/**
 * `automations.simulate` over the retained data of a running deployment: it reports the actual firings, and the sources
 * that could not be read.
 */
import { randomUUID } from 'node:crypto';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  act,
  allPages,
  type AutomationBody,
  defined,
  expectProblem,
  giveInput,
  missingId,
  update,
  wrappedNear,
} from '@app/testing/journeys';

interface Simulation extends Record<string, unknown> {
  readonly coverage: readonly { readonly sampled: number; readonly gaps: readonly { readonly to: string }[] }[];
  readonly evaluated: number;
  readonly matched: number;
  readonly unknown: number;
  readonly fired: readonly { readonly at: string; readonly wouldBe: string; readonly trigger: string }[];
}

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
});
afterAll(async () => deployment.stop(), 60_000);

/** Moves the service clock, all the way. */
async function advance(seconds: number): Promise<void> {
  for (let left = seconds; left > 0;) {
    const moved = await deployment.sandbox<{ remainingSeconds: number }>('POST', 'clock', { advanceSeconds: left });
    left = moved.remainingSeconds;
  }
}

async function now(): Promise<string> {
  return (await deployment.sandbox<{ now: string }>('GET', 'clock')).now;
}

const pin = (priceUsd: string) => deployment.sandbox('PUT', `prices/${encodeURIComponent(wrappedNear)}`, { priceUsd });
const everyMinute = { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } };
const cheap = {
  bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: wrappedNear }, maxAgeSeconds: 60 }],
  rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
};
const edge = { trigger: 'edge', cooldownSeconds: 200, overlap: 'queue' };

/** The live firings, oldest first, once all are admitted and include the occurrence of an input. */
async function fired(id: string, occurrenceId: unknown): Promise<readonly unknown[]> {
  const { items } = await until('the admission of all occurrences', async () => {
    const all = await allPages(user, `/automations/${id}/occurrences?limit=100`);
    const arisen = all.items.some((occurrence) => occurrence['id'] === occurrenceId);
    return arisen && all.items.every(({ delivery }) => delivery === 'accepted') ? all : null;
  });
  return items.map(({ at, trigger }) => ({ at, wouldBe: 'fired', trigger })).reverse();
}

async function simulate({ id }: AutomationBody, from: unknown, to: string): Promise<Simulation> {
  const { status, body } = await user.post<Simulation>(`/automations/${id}/simulate`, { from, to });
  expect([status, body]).toEqual([200, expect.objectContaining({ definitionVersion: expect.any(Number) as number })]);
  return body;
}

test('tells what has fired, and answers the same again, paused, archived, and of another definition what that would do', async () => {
  await pin('3');
  const rule = await defined(user, { wake: everyMinute, condition: cheap, firing: edge });
  for (const [price, seconds] of [
    ['1.9', 150],
    ['2', 60],
    ['1.8', 60],
    ['2.5', 90],
    ['1.7', 240],
  ] as const) {
    await pin(price);
    await advance(seconds);
  }
  await deployment.sandbox('PUT', 'faults', { provider: { down: true } });
  await advance(180);
  await deployment.sandbox('PUT', 'faults', { provider: { down: false } });
  await advance(120);
  const invoked = await giveInput(user, rule.id, 'invoke', { idempotencyKey: randomUUID() });
  const live = await fired(rule.id, invoked.body['occurrenceId']);
  expect(live.length).toBeGreaterThanOrEqual(3);

  const to = await now();
  const first = await simulate(rule, rule['updatedAt'], to);
  expect(first.fired.filter(({ wouldBe }) => wouldBe === 'fired')).toEqual(live);
  expect(first.fired.filter(({ wouldBe }) => wouldBe === 'cooldown')).toHaveLength(1);
  const [fromMs, toMs] = [Date.parse(String(rule['updatedAt'])), Date.parse(to)];
  const due = Math.floor(toMs / 60_000) - Math.floor(fromMs / 60_000);
  expect(first).toMatchObject({
    evaluated: Math.floor((toMs - fromMs) / 60_000),
    truncated: false,
    definitionVersion: 1,
    coverage: [{ binding: 'near', sourceId: `token_price:${wrappedNear}`, due, sampled: due }],
  });
  // No sample existed before the first one, milliseconds after the creation.
  expect(first.coverage[0]?.gaps.filter(({ to: end }) => Date.parse(end) > fromMs + 60_000)).toEqual([]);
  expect(first.unknown).toBeGreaterThanOrEqual(2);
  expect(first['unresolved']).toEqual([{ code: 'unavailable', binding: 'near', looks: first.unknown }]);

  await act(user, rule.id, 'pause');
  const { asOf: _, ...again } = await simulate(rule, rule['updatedAt'], to);
  expect(again).toEqual({ ...first, asOf: undefined });

  const { body: changed } = await user.get<AutomationBody>(`/automations/${rule.id}`);
  const always = await update(user, changed, {
    ...changed.definition,
    condition: null,
    firing: { ...edge, trigger: 'match' },
  });
  expect(always.status).toBe(200);
  const other = await simulate(rule, rule['updatedAt'], to);
  expect(other).toMatchObject({ definitionVersion: 2, coverage: [], matched: other.evaluated, unknown: 0 });
  await user.request('DELETE', `/automations/${rule.id}`);
  expect(await simulate(rule, rule['updatedAt'], to)).toMatchObject({ matched: other.matched });
});

test('says that nothing is known of what was not retained', async () => {
  const rule = await defined(user, { wake: everyMinute, condition: cheap, firing: edge });
  const from = new Date(Date.parse(String(rule['createdAt'])) - 7 * 86_400_000 + 60_000).toISOString();
  const result = await simulate(rule, from, String(rule['createdAt']));
  expect(result.evaluated).toBe(7 * 1440 - 1);
  expect(result.coverage).toMatchObject([{ due: 7 * 1440 - 1 }]);
  expect(result.coverage[0]?.gaps.length).toBeGreaterThan(0);
  expect(result.unknown).toBeGreaterThan(9000);
});

test('refuses spans that are none, too long or not over, and rules of others', async () => {
  const { id } = await defined(user);
  const at = Date.parse(await now());
  const span = (fromMs: number, toMs: number) =>
    user.post(`/automations/${id}/simulate`, {
      from: new Date(at + fromMs).toISOString(),
      to: new Date(at + toMs).toISOString(),
    });
  expectProblem(await span(0, 0), 'invalid_input', { at: ['/to'] });
  expectProblem(await span(0, 60_000), 'invalid_input', { at: ['/to'] });
  expectProblem(await span(-7 * 86_400_000 - 1, 0), 'invalid_input', { at: ['/from'] });
  expect((await span(-7 * 86_400_000, 0)).status).toBe(200);
  const zoned = (ms: number) => new Date(at + ms + 5_400_000).toISOString().replace('Z', '999999+01:30');
  const zonedSpan = (fromMs: number) =>
    user.post(`/automations/${id}/simulate`, { from: zoned(fromMs), to: new Date(at).toISOString() });
  expect((await zonedSpan(-7 * 86_400_000)).status).toBe(200);
  expect((await zonedSpan(-1)).status).toBe(200);
  expectProblem(await zonedSpan(0), 'invalid_input', { at: ['/to'] });
  expectProblem(await zonedSpan(-7 * 86_400_000 - 1), 'invalid_input', { at: ['/from'] });
  const stranger = await deployment.newUser();
  const body = { from: new Date(at - 1).toISOString(), to: new Date(at).toISOString() };
  expect((await stranger.post(`/automations/${id}/simulate`, body)).status).toBe(404);
  expect((await user.post(`/automations/${missingId}/simulate`, body)).status).toBe(404);
});
