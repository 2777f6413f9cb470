import { EventStore } from '@app/event-store';
import { productVersion } from '@app/kernel';
import { type OperatorClient, operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  asking,
  conversationOf,
  defined,
  expectProblem,
  giveInput,
  partOf,
  sql,
  startLongRun,
  startStuckRun,
  untilEnded,
  type Listed,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { Client } from 'pg';
import { v5 as uuidV5 } from 'uuid';

type Explained = Readonly<Record<string, unknown>> & { readonly hindrances: readonly object[] };

let deployment: Deployment;
let operator: OperatorClient;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  operator = await operatorOf(deployment, ['runs', 'automations', 'deployment']);
  user = await deployment.newUser();
  await user.post('/wallet');
});
afterAll(() => deployment.stop());

const reason = 'it hangs';
const keyOf = (runId: string) => uuidV5(runId, user.userId);
const keysIn = async (state: string) => {
  const { body } = await operator.get<Listed>(`/runs?state=${state}`);
  return body.data.map(({ runKey }) => runKey);
};

describe('a run', () => {
  it('is listed while it lives, shown with its holder, and aborted', async () => {
    const runId = await startLongRun(user, await conversationOf(user));
    const runKey = keyOf(runId);
    expect(await keysIn('live')).toContain(runKey);
    expect(await keysIn('stuck')).not.toContain(runKey);
    const shown = await operator.get(`/runs/${runKey}`);
    expect(shown.body).toMatchObject({ runKey, runId, userId: user.userId, status: 'running', endedAt: null });
    const { body: whole } = await operator.get<{ processes: { processId: string; segments: number }[] }>('/deployment');
    expect(whole.processes).toContainEqual(
      expect.objectContaining({ processId: shown.body['workerId'], segments: expect.any(Number) as number }),
    );
    const aborted = await operator.post(`/runs/${runKey}/abort`, { reason });
    expect(aborted).toMatchObject({ status: 200, body: { operation: 'runs.abort', target: runKey } });
    expect((await untilEnded(user, runId))['status']).toBe('aborted');
    expect(await keysIn('live')).not.toContain(runKey);
    expectProblem(await operator.post(`/runs/${runKey}/abort`, { reason }), 'run_not_active');
    expectProblem(await operator.post(`/runs/${runKey}/release`, { reason }), 'run_not_active');
  });

  it('that ended is listed of its user, and found by the id that its user chose', async () => {
    const other = await deployment.newUser();
    const ended = await startLongRun(other, await conversationOf(other));
    const runKey = uuidV5(ended, other.userId);
    await operator.post(`/runs/${runKey}/abort`, { reason });
    await untilEnded(other, ended);
    const live = await startLongRun(other, await conversationOf(other));
    const of = async (query: string) => {
      const { body } = await operator.get<Listed>(`/runs?user=${other.userId}${query}`);
      return body.data.map(({ runId }) => runId);
    };
    expect(await of('')).toEqual([live, ended]);
    expect(await of('&state=ended')).toEqual([ended]);
    expect(await of('&state=live')).toEqual([live]);
    expect((await operator.get(`/runs/${ended}?user=${other.userId}`)).body).toMatchObject({ runKey, runId: ended });
    expectProblem(await operator.get(`/runs/${ended}`), 'not_found');
    expectProblem(await operator.get(`/runs/${ended}?user=${user.userId}`), 'not_found');
    expectProblem(await operator.get('/runs?state=ended'), 'invalid_input', { at: ['/user'] });
    await operator.post(`/runs/${uuidV5(live, other.userId)}/abort`, { reason });
  });

  it('that a worker holds and does not execute goes on once it is released', async () => {
    const { runId } = await startStuckRun(deployment, user, await conversationOf(user));
    const runKey = keyOf(runId);
    const { body } = await operator.get(`/runs/${runKey}`);
    expect((await operator.post(`/runs/${runKey}/release`, { reason })).status).toBe(200);
    expect((await untilEnded(user, runId))['status']).toBe('completed');
    expect((await operator.get(`/runs/${runKey}`)).body['workerId']).not.toBe(body['workerId']);
  });

  it('that no worker executes is ended by the one that takes it next', async () => {
    const { runId, free } = await startStuckRun(deployment, user, await conversationOf(user));
    const aborting = operator.post(`/runs/${keyOf(runId)}/abort`, { reason });
    await until('the stop', async () => {
      const { body } = await user.get(`/agent-runs/${runId}`);
      return body['status'] === 'stopping' ? true : null;
    });
    await free();
    expect((await aborting).status).toBe(200);
    expect((await untilEnded(user, runId))['status']).toBe('aborted');
  });

  it('is taken from the holder that it had when it was asked for, and from no later one', async () => {
    const runId = await startLongRun(user, await conversationOf(user));
    const runKey = keyOf(runId);
    await operator.post(`/runs/${runKey}/release`, { reason });
    const again = await until('the next claim', async () => {
      const { body } = await operator.get(`/runs/${runKey}`);
      return body['workerId'] === null ? null : body;
    });
    expect(again['status']).toBe('running');
    const log = await partOf(deployment, EventStore).readStream('operator-log', 0, 1_000);
    const intent = log.filter(({ type }) => type === 'operator.intended').at(-1);
    expect(intent?.payload).toMatchObject({ operation: 'runs.release', parameters: { runId, segment: 1, attempt: 1 } });
    await operator.post(`/runs/${runKey}/abort`, { reason });
  });

  it('that waits for approval has no holder', async () => {
    const { runId } = await asking(user, await conversationOf(user), 'withdraw 0.000001 USDC');
    const runKey = keyOf(runId);
    expectProblem(await operator.post(`/runs/${runKey}/release`, { reason }), 'run_not_active');
    expect(await keysIn('live')).not.toContain(runKey);
    expect((await operator.post(`/runs/${runKey}/abort`, { reason })).status).toBe(200);
    expect((await untilEnded(user, runId))['status']).toBe('aborted');
  });

  it('that failed is listed, a page at a time', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
    const failed: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { body } = await user.post<{ runId: string }>('/agent-runs', {
        conversationId: await conversationOf(user),
        input: { text: 'hello' },
      });
      expect((await untilEnded(user, body.runId))['status']).toBe('failed');
      failed.unshift(keyOf(body.runId));
    }
    await deployment.sandbox('PUT', 'faults', { model: { fail: false } });
    expect(await keysIn('failed')).toEqual(failed);
    const first = await operator.get<Listed>('/runs?state=failed&limit=2');
    expect(first.body.data.map(({ runKey }) => runKey)).toEqual(failed.slice(0, 2));
    const second = await operator.get<Listed>(`/runs?state=failed&limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({
      data: [{ runKey: failed[2], failure: expect.any(Object) as object }],
      nextCursor: null,
    });
    expectProblem(await operator.get(`/runs?state=live&cursor=${first.body.nextCursor}`), 'invalid_cursor');
    expectProblem(await operator.get('/runs?state=lost'), 'invalid_input', { at: ['/state'] });
  });
});

describe('an automation', () => {
  const idsIn = async (state: string) => {
    const { body } = await operator.get<Listed>(`/automations?state=${state}`);
    return body.data.map(({ automationId }) => automationId);
  };
  const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };
  const text = { name: 'a', prompt: 'repeat after me: ok', conversation: 'new', condition: null };
  const told = () => defined(user, { ...text, wake: { kind: 'event', types: ['any'] }, firing });

  it('is held and released', async () => {
    const { id } = await told();
    expect(await operator.post(`/automations/${id}/hold`, { reason })).toMatchObject({
      status: 200,
      body: { operation: 'automations.hold', target: id },
    });
    expect(await idsIn('held')).toEqual([id]);
    expect((await user.get(`/automations/${id}`)).body).toMatchObject({ held: true });
    expect((await operator.post(`/automations/${id}/release`, { reason })).status).toBe(200);
    expect(await idsIn('held')).toEqual([]);
  });

  it('is shown with its definition in words and why it does not fire, and the look is logged', async () => {
    const name = 'Stop” loss \u009b';
    const { id } = await defined(user, { ...text, name, wake: { kind: 'event', types: ['order.paid'] }, firing });
    await operator.post(`/automations/${id}/hold`, { reason });
    const shown = await operator.get<Explained>(`/automations/${id}`);
    expect(shown).toMatchObject({
      status: 200,
      body: { automationId: id, userId: user.userId, held: true, dueAt: null, lastCheck: null, latestOccurrence: null },
    });
    expect(shown.body['name']).toMatch(/^“[^“”\u009b]*”$/);
    expect(shown.body['definition']).toMatch(/^When an event of type “order.paid” arrives, the task runs\./);
    expect(shown.body.hindrances).toEqual([
      { because: 'An operator holds it.', wouldHaveToBe: 'An operator releases it.' },
      expect.objectContaining({ wouldHaveToBe: 'An event of type “order.paid” arrives.' }),
    ]);
    await operator.post(`/automations/${id}/release`, { reason });
    await giveInput(user, id, 'signal');
    const fired = await until('the occurrence', async () => {
      const { body } = await operator.get<Explained>(`/automations/${id}`);
      const isAccepted = JSON.stringify(body['latestOccurrence']).includes('accepted');
      return isAccepted && body.hindrances.length === 0 ? body : null;
    });
    expect(fired['lastCheck']).toMatchObject({ condition: 'matched', facts: [] });
    const log = await partOf(deployment, EventStore).readStream('operator-log', 0, 1_000);
    const looks = log.filter(({ type, payload }) => type === 'operator.read' && payload['target'] === id);
    expect(looks.length).toBeGreaterThan(1);
    expectProblem(await operator.get(`/automations/${user.userId}`), 'not_found');
  });

  it('says that its user is frozen or disabled before anything fires', async () => {
    const other = await deployment.newUser();
    const { id } = await defined(other, {
      ...text,
      name: 'Sell',
      wake: { kind: 'event', types: ['order.paid'] },
      firing,
    });
    const reasons = async () => (await operator.get<Explained>(`/automations/${id}`)).body.hindrances;
    const supervisor = await operatorOf(deployment, ['users']);
    await supervisor.post(`/users/${other.userId}/freeze`, { reason });
    expect(await reasons()).toContainEqual(
      expect.objectContaining({ because: 'Its user is frozen: no run is started.' }),
    );
    await supervisor.post(`/users/${other.userId}/unfreeze`, { reason });
    await supervisor.post(`/users/${other.userId}/disable`, { reason });
    expect(await reasons()).toEqual([
      { because: 'The account is disabled.', wouldHaveToBe: 'An operator enables the account.' },
      expect.objectContaining({ wouldHaveToBe: 'An event of type “order.paid” arrives.' }),
    ]);
  });

  it('is failing while the run of its last occurrence failed', async () => {
    const { id } = await told();
    await deployment.sandbox('PUT', 'faults', { model: { fail: true } });
    await giveInput(user, id, 'signal');
    await until('the failure', async () => ((await idsIn('failing')).includes(id) ? true : null));
    await deployment.sandbox('PUT', 'faults', { model: { fail: false } });
    await giveInput(user, id, 'signal');
    await until('the success', async () => ((await idsIn('failing')).includes(id) ? null : true));
  });

  it('is late while its due time is over a minute ago', async () => {
    const wake = { kind: 'schedule', schedule: { kind: 'every', seconds: 3_600 } };
    const { id } = await defined(user, { ...text, wake, firing });
    expect(await idsIn('late')).toEqual([]);
    // As left by a dead worker: claimed, and never done.
    await sql(
      deployment,
      `UPDATE timers SET due_at_ms = due_at_ms - 3700000, retry_at = now() + interval '1 hour', failures = 1
       WHERE id LIKE 'automation/' || $1 || '/%'`,
      [id],
    );
    expect(await idsIn('late')).toEqual([id]);
    const { body } = await operator.get<Listed>('/automations?state=late');
    expect(body.data[0]).toMatchObject({ userId: user.userId, held: false, dueAt: expect.any(String) as string });
  });
});

describe('the deployment', () => {
  it('says what it takes on, who works, who leads and how each part is', async () => {
    await operator.post('/deployment/controls/withdrawals/pause', { reason: 'an incident' });
    const { body } = await until('a leader', async () => {
      const shown = await operator.get<{ processes: { leads: string[] }[] }>('/deployment');
      return shown.body.processes.some(({ leads }) => leads.includes('operators')) ? shown : null;
    });
    expect(body).toMatchObject({
      controls: [
        { control: 'runs', paused: false, since: null, reason: null },
        { control: 'automations', paused: false },
        { control: 'withdrawals', paused: true, reason: 'an incident' },
      ],
      capacity: { total: 64, inUse: expect.any(Number) as number, holders: expect.any(Array) as object[] },
      processes: [{ api: true, worker: true, leads: expect.arrayContaining(['projector', 'watchdog']) as string[] }],
      versions: { product: productVersion, node: process.version },
      status: 'ok',
      parts: { database: 'ok', 'event store': 'ok', projections: 'ok' },
    });
    await operator.post('/deployment/controls/withdrawals/resume', { reason: 'over' });
  });

  it('leaves out a part whose table is locked, and shows the others', async () => {
    const holder = new Client({ connectionString: deployment.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE schema_migrations');
      const shown = await operator.get('/deployment');
      expect(shown).toMatchObject({
        status: 200,
        body: {
          unread: ['schema'],
          versions: { schema: '', product: productVersion },
          processes: [{ leads: expect.any(Array) as string[] }],
        },
      });
    } finally {
      await holder.end();
    }
    expect((await operator.get('/deployment')).body).toMatchObject({ unread: [] });
  });
});
