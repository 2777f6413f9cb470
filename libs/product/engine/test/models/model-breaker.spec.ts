/**
 * While a provider of models is not asked because it does not answer, runs wait for it, and operators see it (docs/decisions/runs.md,
 * "Tools").
 */
import { Metrics } from '@app/runtime';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  conversationOf,
  partOf,
  say,
  type Stage,
  start,
  startStage,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

let stage: Stage;
let user: TestClient;
beforeAll(async () => {
  stage = await startStage('openai-compatible', {
    MODEL_BREAKER_FAILURES: '2',
    MODEL_BREAKER_OPEN_MS: '60000',
    MODEL_RETRIES: '1',
    BUDGET_DAY_CENTS: '100000',
  });
  user = await stage.deployment.newUser();
});
afterAll(() => stage.stop());

interface Readiness {
  readonly status: string;
  readonly checks: { readonly models?: string };
}

const readiness = async () => {
  const response = await fetch(`${user.baseUrl}/readyz`);
  return { code: response.status, body: (await response.json()) as Readiness }; // reason for the assertion: its published shape
};

it('is degraded by name, still serves, and a run waits until it is aborted', async () => {
  expect((await readiness()).body.checks.models).toBe('ok');
  stage.models.says([{ status: 503, headers: { 'retry-after': '0' } }]);
  expect(await say(user, await conversationOf(user), 'hello')).toMatchObject({
    status: 'failed',
    failure: { reason: 'provider_error' },
  });
  await until('degraded', async () => ((await readiness()).body.checks.models === 'degraded' ? true : null));
  expect(await readiness()).toMatchObject({ code: 200, body: { status: 'degraded', checks: { models: 'degraded' } } });
  expect(await partOf(stage.deployment, Metrics).registry.metrics()).toContain(
    'parley_model_breaker_open{provider="openai-compatible",model="scripted-1"} 1',
  );

  stage.models.says([{ text: ['Hello.'] }]);
  const { runId } = (await start(user, await conversationOf(user), 'hello')).body;
  await untilStatus(user, runId, 'running');
  expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted' });
  expect(stage.models.requests).toEqual([]);
});
