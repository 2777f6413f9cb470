import { epochMsOf, type Instant } from '@app/kernel';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { requestJson, type TestClient } from '@app/testing/client';

interface ClockReading {
  now: Instant;
  remainingSeconds: number;
}

let deployment: Deployment;
let user: TestClient;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 2 } });
  user = await deployment.newUser();
});

afterAll(async () => deployment.stop(), 60_000);

/** A run on a new conversation, started on one replica and followed on the other. */
async function run(text: string): Promise<{ events: string[]; endedAt: Instant }> {
  const other = user.via(deployment.baseUrls[1] ?? '');
  const { body: conversation } = await user.post<{ id: string }>('/conversations');
  const stream = await other.stream(`/conversations/${conversation.id}/stream`);
  const started = await user.post('/agent-runs', { conversationId: conversation.id, input: { text } });
  expect(started.status).toBe(202);
  const ended = await stream.untilEvent('run.ended');
  await stream.close();
  // Reason for the assertion: every payload has `at` (docs/decisions/journal.md).
  return { events: stream.frames.map(({ event }) => String(event)), endedAt: ended.data.payload['at'] as Instant };
}

describe('a sandbox of separate processes', () => {
  it('carries a run, and its words, from one replica to the other', async () => {
    const { events } = await run('repeat after me: one two three');
    expect(events).toContain('agent.text_delta');
    expect(events.at(-1)).toBe('run.ended');
  });

  it('moves the clock of all of them before it answers', async () => {
    const before = await deployment.sandbox<ClockReading>('GET', 'clock');
    const { now } = await deployment.sandbox<ClockReading>('POST', 'clock', { advanceSeconds: 86_400 });
    expect(epochMsOf(now) - epochMsOf(before.now)).toBeGreaterThanOrEqual(86_400_000);
    const elsewhere = await requestJson<ClockReading>('GET', `${deployment.baseUrls[1]}/sandbox/v1/clock`);
    expect(epochMsOf(elsewhere.body.now)).toBeGreaterThanOrEqual(epochMsOf(now));
    const { endedAt } = await run('repeat after me: tomorrow');
    expect(epochMsOf(endedAt)).toBeGreaterThan(epochMsOf(now));
  });

  it('does not wait forever for a process that was killed', async () => {
    await deployment.workers[0]?.kill('SIGKILL');
    const { remainingSeconds } = await deployment.sandbox<ClockReading>('POST', 'clock', { advanceSeconds: 60 });
    expect(remainingSeconds).toBe(0);
  });

  it('keeps its clock, keys and faults over a restart of everything, of what was killed too', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 3 } });
    const before = await deployment.sandbox<ClockReading>('GET', 'clock');
    await Promise.all([...deployment.apis, ...deployment.workers].map((one) => one.restart()));
    const after = await deployment.sandbox<ClockReading>('GET', 'clock');
    expect(epochMsOf(after.now)).toBeGreaterThan(epochMsOf(before.now));
    expect(await deployment.sandbox('GET', 'faults')).toMatchObject({ model: { delayMs: 3, fail: false } });
    expect((await user.get('/v1/users/me')).status).toBe(200);
  });
});
