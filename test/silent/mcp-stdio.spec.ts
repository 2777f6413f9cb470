/** MCP servers that are child processes start and never answer: no call waits longer than its setting, and an abort ends a call at once. */
import { conversationOf, eventsOf, say, start, untilEnded } from '@app/testing/journeys';
import { stdioProgram } from '@app/testing/mcp';
import { LoopbackModels } from '@app/testing/models';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

const WITHIN_MS = 180_000;

let models: LoopbackModels;
let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  models = await LoopbackModels.start('openai-compatible');
  const server = (name: string, mode: string, limits: object) => {
    return {
      name,
      consent: 'auto',
      transport: { type: 'stdio', command: process.execPath, args: [stdioProgram, mode] },
      ...limits,
    };
  };
  // The first never says anything; the others list their tools, one of which never returns.
  const servers = [
    server('mute', 'silent', { startTimeoutMs: 600_000 }),
    server('short', 'good', { timeoutMs: 700 }),
    server('long', 'good', { timeoutMs: 600_000 }),
  ];
  const env = { ...models.environment(), MCP_SERVERS: JSON.stringify(servers), LOG_LEVEL: 'silent' };
  deployment = await startDeployment({ mode: 'in-process', degraded: true, env });
  user = await deployment.newUser();
}, WITHIN_MS);
beforeEach(async () => {
  conversationId = await conversationOf(user);
});
afterAll(async () => {
  await deployment.stop();
  await models.close();
}, WITHIN_MS);

it('is not waited for at the start, and told by name', async () => {
  const { checks } = await until('the others', async () => {
    // Reason for the assertion: the published shape.
    const ready = (await (await fetch(`${user.baseUrl}/readyz`)).json()) as { checks: Record<string, string> };
    return ready.checks['mcp long'] === 'ok' && ready.checks['mcp short'] === 'ok' ? ready : null;
  });
  expect(checks).toMatchObject({ 'mcp mute': 'degraded' });
});

it('has its time for a call, and the run goes on', async () => {
  models.says([{ calls: [{ tool: 'short_never', input: {} }] }, { text: ['Well.'] }]);
  expect(await say(user, conversationId)).toMatchObject({ status: 'completed', response: { text: 'Well.' } });
  const [{ outcome, result } = {}] = await eventsOf(user, conversationId, 'tool.returned');
  expect([outcome, result]).toEqual(['error', { error: 'outcome unknown: there was no answer within 700 ms' }]);
});

it('loses its call at once when the run is aborted, and is told', async () => {
  models.says([{ calls: [{ tool: 'long_never', input: {} }] }]);
  const { runId } = (await start(user, conversationId)).body;
  await until('the call', async () => (await eventsOf(user, conversationId, 'tool.called'))[0]);
  expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted' });
  const other = await conversationOf(user);
  await until('the cancellation', async () => {
    models.says([{ calls: [{ tool: 'long_cancelled', input: {} }] }, { text: ['Well.'] }]);
    await say(user, other);
    const [last] = (await eventsOf(user, other, 'tool.returned')).slice(-1);
    return JSON.stringify(last?.['result']) === '{"text":"1"}' ? true : null;
  });
});

it(
  'keeps no process from its end',
  async () => {
    await deployment.stop();
  },
  WITHIN_MS,
);
