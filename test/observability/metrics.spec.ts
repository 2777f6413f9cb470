/** The metrics of runs; and nothing is traced unless tracing is configured. */
import { Metrics, NoTracing, Tracing } from '@app/runtime';
import {
  conversationOf,
  quiet,
  say,
  type Stage,
  startLongRun,
  startStage,
  startStuckRun,
  untilEnded,
} from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';

const loaded: string[] = [];
// The AI SDK always loads `@opentelemetry/api`, which is an interface without an implementation.
for (const name of ['@opentelemetry/sdk-trace-base', '@opentelemetry/exporter-trace-otlp-http']) {
  jest.doMock(name, () => {
    loaded.push(name);
    return jest.requireActual<object>(name);
  });
}

let stage: Stage;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  stage = await startStage('openai-compatible');
  user = await stage.deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(() => stage.stop());

/** The value of a series in `GET /metrics`; 0 if it is missing. */
async function value(series: string): Promise<number> {
  const text = await stage.deployment.running[0]!.app.get(Metrics, { strict: false }).registry.metrics();
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

it('counts runs by their end, and steps, tokens and cost by model', async () => {
  stage.models.says([
    { text: ['I look.'], calls: [{ tool: 'current_time', input: {} }] },
    { text: ['Done.'], usage: { inputTokens: 1000, outputTokens: 7 } },
  ]);
  const done = await say(user, conversationId, 'what time is it?');
  expect(done).toMatchObject({ status: 'completed' });
  stage.models.says([{ status: 400, message: 'no' }]);
  expect(await say(user, conversationId, 'hello')).toMatchObject({ status: 'failed' });
  await quiet(stage.deployment);
  expect(await value('parley_runs_ended_total{status="completed",reason=""}')).toBe(1);
  expect(await value('parley_runs_ended_total{status="failed",reason="provider_error"}')).toBe(1);
  expect(await value('parley_model_step_duration_seconds_count{model="scripted-1",outcome="answered"}')).toBe(2);
  expect(await value('parley_model_step_duration_seconds_count{model="scripted-1",outcome="failed"}')).toBe(1);
  expect(await value('parley_model_tokens_total{model="scripted-1",direction="input"}')).toBe(1100);
  expect(await value('parley_model_tokens_total{model="scripted-1",direction="output"}')).toBe(17);
  // 3 and 15 dollars per million tokens are 300 and 1500 micro-cents per token.
  expect(await value('parley_model_cost_micro_cents_total{model="scripted-1"}')).toBe(1100 * 300 + 17 * 1500);
});

it('shows the slots in use', async () => {
  expect(await value('parley_execution_slots_in_use')).toBe(0);
  stage.models.says([{ text: ['word '], ending: 'endless' }]);
  const runId = await startLongRun(user, conversationId);
  expect(await value('parley_execution_slots_in_use')).toBe(1);
  await stage.models.asked(1);
  await user.post(`/agent-runs/${runId}/abort`);
  await untilEnded(user, runId);
  await quiet(stage.deployment);
  expect(await value('parley_execution_slots_in_use')).toBe(0);
  expect(await value('parley_runs_ended_total{status="aborted",reason=""}')).toBe(1);
  expect(await value('parley_model_step_duration_seconds_count{model="scripted-1",outcome="aborted"}')).toBe(1);
});

it('counts a run that another worker had begun', async () => {
  expect(await value('parley_lease_recoveries_total')).toBe(0);
  stage.models.says([{ text: ['Late.'] }]);
  const { runId, free } = await startStuckRun(stage.deployment, user, conversationId);
  await free();
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await value('parley_lease_recoveries_total')).toBe(1);
});

it('shows who lives, who follows and how far, what the event store takes, and what is ready', async () => {
  await quiet(stage.deployment);
  expect(await value('parley_processes{role="api"}')).toBe(1);
  expect(await value('parley_processes{role="worker"}')).toBe(1);
  expect(await value('parley_check_ok{check="event store"}')).toBe(1);
  expect(await value('parley_event_store_append_duration_seconds_count{outcome="appended"}')).toBeGreaterThan(0);
  expect(await value('parley_data_folder_free_bytes')).toBeGreaterThan(0);
  const text = await stage.deployment.running[0]!.app.get(Metrics, { strict: false }).registry.metrics();
  for (const follower of [
    'projection="runs"',
    'projection="users"',
    'reactor="firing"',
    'reactor="operation-copies"',
  ]) {
    expect(text).toMatch(new RegExp(`^parley_[a-z]+_lag_positions\\{${follower}\\} \\d+$`, 'm'));
    expect(text).toMatch(new RegExp(`^parley_[a-z]+_lag_seconds\\{${follower}\\} [\\d.e-]+$`, 'm'));
  }
});

it('has loaded nothing of OpenTelemetry, which nobody asked for', () => {
  expect(loaded).toEqual([]);
  expect(stage.deployment.running[0]!.app.get(Tracing, { strict: false })).toBeInstanceOf(NoTracing);
});
