/**
 * A process that was suspended while another one took its runs over, and resumes: at whatever point it was about to continue, it appends
 * nothing, counts nothing twice, and leaves the slot of the new holder alone. Both processes are whole replicas; the suspended one is held
 * before its append, and neither renews its leases nor claims any.
 */
import { randomUUID } from 'node:crypto';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { Processes } from '@app/read-store';
import { RunLeases, workChannel } from '@app/runs';
import { auditJournal, settled, openedEvents } from '@app/testing/audits';
import { EventLog } from '@app/testing/event-log';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approvalOf,
  conversationOf,
  newOwner,
  partOf,
  pendingOf,
  prompt,
  quiet,
  sql,
  start,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { heldClosings, HeldRecords } from './held-records';

const full = process.env['FIGURES'] === 'full';
const TRIES = Number(process.env['ZOMBIE_TRIES'] ?? (full ? 1_000 : 60));
/** A process executes this many runs where they begin, and no more. */
const AT_ONCE = 60;
const TIMEOUT_MS = 120_000 + TRIES * 1_000;
/** Replicas: the one where runs begin, and the one that takes them over. */
const [ZOMBIE, OTHER] = [0, 1] as const;

/** Points at which a process may be suspended: a run's action, and the append that it then does not reach. */
const ways = [
  { at: 'RecordStep', text: 'repeat after me: ok', wallet: false, more: {} }, // a step, its message, and the end
  { at: 'RecordStep', text: 'swap 5 USDC to NEAR', wallet: true, more: {} }, // a step and its call
  { at: 'RecordStep', text: 'what time is it', wallet: false, more: {} }, // a step whose call has returned
  { at: 'ReturnTool', text: 'call intents_transfer {}', wallet: false, more: {} }, // the result of a call
  { at: 'SuspendRun', text: 'swap 5 USDC to NEAR', wallet: true, more: {} }, // an approval, and the suspension of the run
  { at: 'EndRun', text: 'what time is it', wallet: false, more: { profile: { maxSteps: 1 } } }, // the end alone
] as const;

let deployment: Deployment;
let records: HeldRecords;
let log: EventLog;
let owners: readonly TestClient[];
beforeAll(async () => {
  const unlimited = { EXECUTION_CAPACITY: '10000', EXECUTION_CAPACITY_PER_USER: '10000' };
  const rich = { BUDGET_DAY_CENTS: '100000000', BUDGET_MONTH_CENTS: '100000000', PENDING_APPROVALS_PER_USER: '10000' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env: { ...unlimited, ...rich } });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  records = new HeldRecords(deployment);
  log = new EventLog(deployment.eventStoreUrl);
  owners = await Promise.all(ways.map(({ wallet }) => (wallet ? newOwner(deployment) : deployment.newUser())));
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => deployment.stop());

interface Begun {
  readonly user: TestClient;
  readonly conversationId: string;
  readonly runId: string;
}

const workerOf = (replica: number): string => partOf(deployment, Processes, replica).id;

/** From now on the process neither renews its leases nor claims any; returns a function that ends this. */
function sleepingLeases(): () => void {
  const leases = partOf(deployment, RunLeases, ZOMBIE);
  const held = [
    jest.spyOn(leases, 'claim').mockResolvedValue([]),
    jest.spyOn(leases, 'renew').mockResolvedValue({ stopping: [], retaken: [], lost: [] }),
  ];
  return () => held.forEach((spy) => spy.mockRestore());
}

/** Starts a run which the first process executes up to the chosen append. */
async function beginOne(index: number): Promise<Begun> {
  const place = index % ways.length;
  const [{ at, text, more }, user] = [ways[place]!, owners[place]!]; // reason for the assertions: one of each for every way
  const conversationId = await conversationOf(user);
  const runId = randomUUID();
  records.hold(ZOMBIE, runId, at);
  expect((await start(user, conversationId, text, { runId, ...more })).status).toBe(202);
  await records.reached(ZOMBIE, runId);
  return { user, conversationId, runId };
}

/** Expires the leases, and notifies the other process that there are runs to claim. */
async function endLeases(): Promise<void> {
  await sql(deployment, `UPDATE execution_slots SET expires_at = '2020-01-01' WHERE worker_id = $1`, [
    workerOf(ZOMBIE),
  ]);
  await sql(deployment, 'SELECT pg_notify($1, $2)', [workChannel, '']);
}

async function untilIdle(runs: readonly Begun[]): Promise<void> {
  const ids = runs.map(({ runId }) => runId);
  const live = `SELECT 1 FROM runs WHERE id = ANY ($1) AND status IN ('queued', 'running', 'stopping')`;
  await until('the end of the runs', async () => ((await sql(deployment, live, [ids])).length === 0 ? true : null));
  await quiet(deployment);
}

/** The slots with a valid lease. */
async function slots(): Promise<readonly { readonly runId: string; readonly workerId: string }[]> {
  return sql(
    deployment,
    `SELECT run_id AS "runId", worker_id AS "workerId" FROM execution_slots WHERE expires_at > now()`,
  );
}

/** The events that the store received after this count, once it is quiet. */
async function since(count: number): Promise<readonly string[]> {
  await quiet(deployment);
  return (await log.upToNow()).slice(count).map(({ stream, type }) => `${type} in ${stream}`);
}

/** This many runs are taken over: every second one continues until it is over or waits, the others are held before an append. */
async function takenOver(runs: readonly Begun[]): Promise<readonly Begun[]> {
  const standing = runs.filter((_, index) => Math.floor(index / ways.length) % 2 === 1);
  for (const { runId } of standing) records.hold(OTHER, runId, null);
  await endLeases();
  await Promise.all(standing.map(({ runId }) => records.reached(OTHER, runId)));
  await untilIdle(runs.filter((run) => !standing.includes(run)));
  return standing;
}

/** One round; returns the results of the appends of the process that resumed. */
async function round(count: number): Promise<readonly string[]> {
  const runs = await Promise.all(Array.from({ length: count }, (_, index) => beginOne(index)));
  const states = partOf(deployment, FoldedStates, ZOMBIE);
  const before = runs.map(({ conversationId }) => states.peek(conversationKind, conversationId));
  const wake = sleepingLeases();
  const standing = await takenOver(runs);
  const { length: known } = await log.upToNow();
  // Half of them resume before the newer events have reached their process.
  for (const [index, { conversationId }] of runs.entries()) {
    const state = before[index];
    if (index % 2 === 0 && state != null) states.keep(conversationKind, conversationId, state);
  }
  const recordings = await Promise.all(runs.map(({ runId }) => records.release(ZOMBIE, runId)));
  expect(recordings.filter((recording) => recording !== 'fenced')).toEqual([]);
  expect(await since(known)).toEqual([]);
  const held = await slots();
  expect(held.map(({ runId }) => runId).sort()).toEqual(standing.map(({ runId }) => runId).sort());
  expect(new Set(held.map(({ workerId }) => workerId))).toEqual(new Set(standing.length > 0 ? [workerOf(OTHER)] : []));
  wake();
  await Promise.all(standing.map(({ runId }) => records.release(OTHER, runId)));
  await untilIdle(runs);
  await Promise.all(runs.map(({ user, runId }) => user.post(`/agent-runs/${runId}/abort`)));
  return recordings;
}

test(
  'it appends nothing, in whatever way it was about to go on',
  async () => {
    records.watch();
    const recordings: string[] = [];
    while (recordings.length < TRIES) recordings.push(...(await round(Math.min(AT_ONCE, TRIES - recordings.length))));
    const others = recordings.filter((recording) => recording !== 'fenced');
    process.stdout.write(
      `a zombie after a take-over: ${recordings.length} tries (1000 with FIGURES=full) in ${ways.length} ways, ${others.length} that were not fenced\n`,
    );
    expect(others).toEqual([]);
  },
  TIMEOUT_MS,
);

test('one that finds its leases lost breaks off, and gives nothing back that is not its own any more', async () => {
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
  const user = owners[0]!; // reason for the assertion: there is one for every way
  const ids = await Promise.all(Array.from({ length: 6 }, () => conversationOf(user)));
  const started = await Promise.all(ids.map((id) => start(user, id)));
  const runIds = started.map(({ body }) => body.runId).sort();
  const ofOther = async () => (await slots()).filter(({ workerId }) => workerId === workerOf(OTHER));
  const wake = sleepingLeases();
  await endLeases();
  await until('the take-over', async () => ((await ofOther()).length === runIds.length ? true : null));
  await quiet(deployment);
  const released = jest.spyOn(partOf(deployment, RunLeases, ZOMBIE), 'release');
  const { length: known } = await log.upToNow();
  wake();
  await until('the end of all that it executed', () =>
    Promise.resolve(released.mock.calls.length === runIds.length ? true : null),
  );
  expect(await since(known)).toEqual([]);
  expect((await ofOther()).map(({ runId }) => runId).sort()).toEqual(runIds);
  await Promise.all(runIds.map((runId) => user.post(`/agent-runs/${runId}/abort`)));
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});

test('one that had ended a segment and not closed it closes nothing but that, and not twice', async () => {
  records.watch();
  const closings = heldClosings(deployment, ZOMBIE);
  const user = await newOwner(deployment);
  const begin = async () => {
    const { body } = await start(user, await conversationOf(user), 'swap 5 USDC to NEAR');
    const { id } = await pendingOf(user, body.runId);
    return { runId: body.runId, approval: await approvalOf(user, id) };
  };
  const runs = await Promise.all(Array.from({ length: 6 }, begin));
  const wake = sleepingLeases();
  await Promise.all(
    runs.map(async ({ runId, approval }) => {
      records.hold(OTHER, runId, null);
      const other = user.via(deployment.baseUrls[OTHER]!); // reason for the assertion: there are two
      expect((await other.post(`/approvals/${approval.id}/deny`, { reason: 'no' })).status).toBe(200);
      await records.reached(OTHER, runId);
    }),
  );
  const settledOnce = async () => {
    const spent = (await log.upToNow()).filter(({ type, payload }) => {
      return (
        type === 'budget.spent' && payload['segment'] === 1 && runs.some(({ runId }) => runId === payload['runId'])
      );
    });
    return spent.length === runs.length ? true : null;
  };
  await until('the watchdog', settledOnce);
  await quiet(deployment);
  const { length: known } = await log.upToNow();
  await closings.release();
  expect(await since(known)).toEqual([]);
  const runIds = runs.map(({ runId }) => runId).sort();
  expect((await slots()).map(({ runId }) => runId).sort()).toEqual(runIds);
  wake();
  await Promise.all(runs.map(({ runId }) => records.release(OTHER, runId)));
});

test('after all of it everything is in its place', async () => {
  const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
  const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [] };
  expect({ ...auditJournal(await openedEvents(deployment.databaseUrl, events), [], []), left }).toEqual(nothing);
});
