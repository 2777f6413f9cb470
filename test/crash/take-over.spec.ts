/**
 * A worker dies, or stops and wakes up again, in the middle of a run: another one takes the run over, and only that one
 * continues.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '@app/event-store';
import type { TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import type { TestProcess } from '@app/testing/processes';
import { auditJournal, settled, unlikeAReplay, openedEvents } from '@app/testing/audits';
import { EventLog } from '@app/testing/event-log';
import { until } from '@app/testing/until';
import type { KillOrder, KillOrders, PassedPoints } from './kill-orders';
import { startKillable, type Killable } from './killable';

const WITHIN_MS = 120_000;
const STEP_MS = 7_000;

const counting: KillOrder = { point: null, nth: 0 };

let killable: Killable;
let orders: KillOrders;
let deployment: Deployment;
let log: EventLog;
beforeAll(async () => {
  killable = await startKillable({ mode: 'worker-apart', replicas: { worker: 2 } });
  ({ deployment, orders } = killable);
  log = new EventLog(deployment.eventStoreUrl);
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: STEP_MS } });
});
afterAll(() => killable.stop());

async function eventsOf(runId: string, type: string): Promise<StoredEvent[]> {
  const events = await log.upToNow();
  return events.filter((event) => event.type === type && event.payload['runId'] === runId);
}

async function untilCount(runId: string, type: string, count: number): Promise<void> {
  const look = async () => (await eventsOf(runId, type)).length >= count || null;
  await until(`${type} number ${count}`, look, WITHIN_MS);
}

/** Starts a run that takes a while. Returns it with the worker that executes it. */
async function executed(client: TestClient): Promise<{ runId: string; holder: TestProcess }> {
  for (const { pid } of deployment.workers) await orders.give(pid, counting);
  const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
  const runId = randomUUID();
  const input = { text: 'repeat after me: one two three' };
  const { status } = await client.post('/agent-runs', { conversationId: conversation.id, runId, input });
  expect(status).toBe(202);
  await untilCount(runId, 'run.claimed', 1);
  return until('a worker asks the model', async () => {
    for (const holder of deployment.workers) {
      const passed: PassedPoints = await orders.give(holder.pid, counting);
      if (passed['model:before'] !== undefined) return { runId, holder };
    }
    return null;
  });
}

test('killed in the middle of a run: another takes it over and completes it', async () => {
  const { runId, holder } = await executed(await deployment.newUser());
  const killedAtMs = performance.now();
  await holder.kill('SIGKILL');
  await untilCount(runId, 'run.claimed', 2);
  const noticedMs = performance.now() - killedAtMs;
  await untilCount(runId, 'run.ended', 1);
  expect((await eventsOf(runId, 'run.ended'))[0]?.payload['status']).toBe('completed');
  process.stdout.write(`a killed worker's run is taken over after ${Math.round(noticedMs)} ms\n`);
  await holder.start();
});

test('stopped past its lease and woken up again: it can append nothing more', async () => {
  const { runId, holder } = await executed(await deployment.newUser());
  await sleep(STEP_MS - 2_000);
  process.kill(holder.pid, 'SIGSTOP');
  await untilCount(runId, 'run.claimed', 2);
  process.kill(holder.pid, 'SIGCONT');
  await untilCount(runId, 'run.ended', 1);
  // It continued its step and tried to append the result while the worker that took over was still busy with its own.
  const passed = await orders.give(holder.pid, counting);
  expect(passed).toMatchObject({ 'model:after': 1, 'append:before': expect.any(Number) });
  expect((await eventsOf(runId, 'agent.step')).length).toBe(1);
});

test('a stopped worker holds up neither projections nor settlements', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  for (const { pid } of deployment.workers) await orders.give(pid, counting);
  const client = await deployment.newUser();
  const [one, other] = deployment.workers;
  const passed = await orders.give(one!.pid, counting);
  const projector = passed['projection:after-commit'] === undefined ? other! : one!;
  process.kill(projector.pid, 'SIGSTOP');
  try {
    const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
    const input = { text: 'repeat after me: go on' };
    const started = await client.post<{ runId: string }>('/agent-runs', { conversationId: conversation.id, input });
    expect(started.status).toBe(202);
    const deadline = performance.now() + WITHIN_MS;
    for (let status: unknown; status !== 'completed'; await sleep(100)) {
      ({ status } = (await client.get<{ status?: string }>(`/agent-runs/${started.body.runId}`)).body);
      if (performance.now() > deadline) throw new Error(`the run is ${String(status)} as far as one can read`);
    }
  } finally {
    process.kill(projector.pid, 'SIGCONT');
  }
});

test('afterwards everything is in its place', async () => {
  const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
  const unlike = await unlikeAReplay(deployment.databaseUrl, events);
  const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [], unlike: [] };
  expect({ ...auditJournal(await openedEvents(deployment.databaseUrl, events), [], []), left, unlike }).toEqual(
    nothing,
  );
});
