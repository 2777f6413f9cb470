import { asId } from '@app/kernel';
import { RunLeases, runKeyOf } from '@app/runs';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  bare,
  conversationOf,
  eventCount,
  expectProblem,
  missingId,
  partOf,
  say,
  start,
  startLongRun,
  startStuckRun,
  untilEnded,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';

const perUser = 60;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { EXECUTION_CAPACITY: '1', RATE_LIMIT_USER_PER_MINUTE: String(perUser), STREAMS_PER_USER: '2' },
  });
});
afterAll(() => deployment.stop());

const abort = (user: TestClient, runId: string) => user.post(`/agent-runs/${runId}/abort`);

describe('execution capacity', () => {
  it('is one number, which a run gives back at its end', async () => {
    const user = await deployment.newUser();
    const other = await deployment.newUser();
    const [held, waiting] = [await conversationOf(user), await conversationOf(other)];
    const live = await startLongRun(user, held);
    expectProblem(await start(other, waiting), 'execution_capacity');
    expectProblem(await start(user, held), 'run_active');
    const { body } = await other.get<{ snapshots: { reservedCents: number }[] }>('/budget');
    expect(body.snapshots.map(({ reservedCents }) => reservedCents)).toEqual([0, 0]);
    await abort(user, live);
    expect(await say(other, waiting)).toMatchObject({ status: 'completed' });
  });
});

describe('an abort of a run whose worker was lost', () => {
  it('changes nothing as long as nobody has taken the run over', async () => {
    const user = await deployment.newUser();
    const claims = jest.spyOn(partOf(deployment, RunLeases), 'claim').mockResolvedValue([]);
    const { runId, free } = await startStuckRun(deployment, user, await conversationOf(user));
    await free();
    const before = await eventCount(deployment);
    expect((await abort(user, runId)).body).toEqual({ aborted: false });
    expect(await eventCount(deployment)).toBe(before);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 30_000 } });
    claims.mockRestore();
    await until('a worker has it', async () =>
      (await partOf(deployment, RunLeases).isHeld(runKeyOf(asId(user.userId), asId(runId)))) ? true : null,
    );
    expect((await abort(user, runId)).body).toEqual({ aborted: true });
    await deployment.sandbox('PUT', 'faults', {});
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted' });
  });
});

describe('streams', () => {
  it('are counted per user, and free their place when they close', async () => {
    const user = await deployment.newUser();
    const path = `/conversations/${await conversationOf(user)}/stream`;
    const streams = [await user.stream(path), await user.stream(path)];
    const refused = await user.get(path);
    expectProblem(refused, 'stream_capacity');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expectProblem(await user.get(`/conversations/${missingId}/stream`), 'not_found');
    const stranger = await deployment.newUser();
    const theirs = await stranger.stream(`/conversations/${await conversationOf(stranger)}/stream`);
    await streams[0]?.close();
    const next = await eventually(() => user.stream(path));
    for (const stream of [theirs, next, streams[1]]) await stream?.close();
  });
});

describe('the rate limit of a user', () => {
  it('is spent by every /v1 request, and tells when to come back', async () => {
    const user = await deployment.newUser();
    const first = await user.get('/v1/users/me');
    expect(first.headers.get('ratelimit-policy')).toBe(`"key";q=1000000;w=60, "user";q=${perUser};w=60`);
    const left = Number(/"user";r=(\d+)/.exec(first.headers.get('ratelimit') ?? '')?.[1]);
    // An unknown route is refused after the caller is identified, and counts too.
    const asked = Array.from({ length: left }, (_, n) => (n % 2 ? '/nowhere' : '/v1/users/me'));
    const answers = await Promise.all(asked.map((path) => user.get(path)));
    expect(answers.map(({ status }) => status)).toEqual(asked.map((path) => (path === '/nowhere' ? 404 : 200)));
    for (const answer of await Promise.all(asked.map((path) => user.get(path)))) {
      expectProblem(answer, 'rate_limited');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expectProblem(await user.get('/v1/users/not-mine/budget'), 'rate_limited');
    expectProblem(await bare('GET', user.url('/budget'), { 'x-api-key': user.partnerKey }), 'unauthenticated');
    expect((await (await deployment.newUser()).get('/budget')).status).toBe(200);
  });
});

/** Retries until `attempt` does not throw, at most 100 times. */
async function eventually<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let turn = 0; ; turn += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (turn >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
