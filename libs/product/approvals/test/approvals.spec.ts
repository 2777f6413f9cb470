import { asId, Clock, instantOf, type UserId } from '@app/kernel';
import { verifyReceipt } from '@app/receipts';
import { ExecutionSlots } from '@app/runs';
import { setTimeout as sleep } from 'node:timers/promises';
import { anInstant, expectProblem, type Listed, missingId } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { ApprovalsApp, capacity, type Waiting } from '@app/testing/slices';
import { approve, cannotBeDecided, decided, deny, pathOf, pendingView, statusOf } from './decisions';

let app: ApprovalsApp;
let user: TestClient;
beforeAll(async () => {
  app = await ApprovalsApp.start(2);
});
beforeEach(async () => {
  user = await app.newUser();
});
afterAll(() => app.stop());

const atOther = (client: TestClient) => client.via(app.baseUrls[1]!);

describe('an approval', () => {
  let waiting: Waiting;
  beforeEach(async () => {
    waiting = await app.run(user, { approvals: 1 });
  });

  it('is shown with exactly these members', async () => {
    const { status, body } = await user.get(pathOf(waiting));
    expect(status).toBe(200);
    expect(body).toEqual(pendingView(waiting));
    const raw = await fetch(user.url(pathOf(waiting)), { headers: user.headers }).then((response) => response.text());
    expect(raw).toContain(JSON.stringify(waiting.approvals[0]!.input));
  });

  it('is approved, and the run goes on in its next segment', async () => {
    expect(await approve(user, waiting)).toMatchObject(decided);
    const { body } = await atOther(user).get(pathOf(waiting));
    expect(body).toMatchObject({ status: 'approved', decidedBy: 'user', decidedAt: anInstant, denialReason: null });
    expect((await app.journal(user, waiting.conversationId)).slice(-3)).toEqual([
      'run.suspended',
      'approval.decided',
      'run.resumed',
    ]);
    expect(await app.slots()).toEqual([`${waiting.runKey}/2`]);
    expect((await user.get(`/agent-runs/${waiting.runId}`)).status).toBe(404);
    await app.end(waiting);
  });

  it('is denied with a reason of 1024 code points, not one more', async () => {
    const tooLong = await user.post(`${pathOf(waiting)}/deny`, { reason: '\u{1F600}'.repeat(1025) });
    expectProblem(tooLong, 'invalid_input', { at: ['/reason'] });
    const reason = '\u{1F600}'.repeat(1024);
    expect(await user.post(`${pathOf(waiting)}/deny`, { reason })).toMatchObject(decided);
    expect((await user.get(pathOf(waiting))).body).toMatchObject({ status: 'denied', denialReason: reason });
    expect((await app.state(waiting.conversationId)).liveRunId).toBe(waiting.runId);
    await app.end(waiting);
  });

  it.each(['', ' ', '\u200b', '\u2800\u3164'])(
    'is denied without a reason by one that nobody sees: %j',
    async (reason) => {
      expect(await user.post(`${pathOf(waiting)}/deny`, { reason })).toMatchObject(decided);
      expect((await user.get(pathOf(waiting))).body).toMatchObject({ status: 'denied', denialReason: null });
      await app.end(waiting);
    },
  );

  it('is decided once', async () => {
    expect(await deny(user, waiting)).toMatchObject(decided);
    const { lastSeq } = await app.state(waiting.conversationId);
    expectProblem(await approve(user, waiting), 'approval_not_pending');
    expectProblem(await deny(user, waiting), 'approval_not_pending');
    expectProblem(await approve(atOther(user), waiting), 'approval_not_pending');
    expect((await app.state(waiting.conversationId)).lastSeq).toBe(lastSeq);
    expect(await app.slots()).toEqual([`${waiting.runKey}/2`]);
    await app.end(waiting);
  });

  it('is approved by its own fingerprint only', async () => {
    const two = await app.run(user, { approvals: 2 });
    const { lastSeq } = await app.state(two.conversationId);
    const [own, other] = two.approvals.map(({ fingerprint }) => fingerprint);
    for (const fingerprint of [other, '', own!.toUpperCase(), ` ${own}`, 'x'.repeat(9_999), 7, null, undefined]) {
      const refused = await user.post(`${pathOf(two)}/approve`, { fingerprint });
      expectProblem(refused, 'invalid_input', { at: ['/fingerprint'] });
    }
    expect((await app.state(two.conversationId)).lastSeq).toBe(lastSeq);
    await approve(user, two);
    // Even if it is decided, because the fingerprint is checked first.
    const decidedOne = await user.post(`${pathOf(two)}/approve`, { fingerprint: other });
    expectProblem(decidedOne, 'invalid_input', { at: ['/fingerprint'] });
  });

  it('is 404 for everybody else, alike when missing or malformed', async () => {
    const stranger = await app.newUser();
    const { approvalId, fingerprint } = waiting.approvals[0]!;
    for (const id of [approvalId, missingId, 'no-uuid']) {
      expectProblem(await stranger.get(`/approvals/${id}`), 'not_found');
      expectProblem(await stranger.get(`/approvals/${id}/receipt`), 'not_found');
      expectProblem(await stranger.post(`/approvals/${id}/deny`), 'not_found');
      expectProblem(await stranger.post(`/approvals/${id}/approve`, { fingerprint }), 'not_found');
    }
    expect((await user.get(`/approvals/${approvalId.toUpperCase()}`)).status).toBe(200);
  });

  it('refuses other members, and a body that is no object', async () => {
    const { fingerprint } = waiting.approvals[0]!;
    const refused = await user.post(`${pathOf(waiting)}/approve`, { fingerprint, reason: 'no' });
    expectProblem(refused, 'invalid_input', { at: ['/reason'] });
    expectProblem(await user.post(`${pathOf(waiting)}/deny`, { why: 1 }), 'invalid_input', { at: ['/why'] });
    expectProblem(await user.post(`${pathOf(waiting)}/deny`, []), 'invalid_input', { at: [''] });
    expectProblem(await user.post(`${pathOf(waiting)}/deny`, { reason: 7 }), 'invalid_input', { at: ['/reason'] });
    expectProblem(await user.post(`${pathOf(waiting)}/approve`), 'invalid_input', { at: ['/fingerprint'] });
    expectProblem(await user.post(`${pathOf(waiting)}/deny`, { reason: 'x'.repeat(300_000) }), 'too_large');
    expect(await statusOf(user, waiting)).toBe('pending');
  });
});

describe('a run that waits for several', () => {
  it('goes on with the last decision, whatever the others were', async () => {
    const waiting = await app.run(user, { approvals: 3 });
    expect(await deny(user, waiting, 1)).toMatchObject(decided);
    expect(await approve(user, waiting, 0)).toMatchObject(decided);
    expect(await app.slots()).toEqual([]);
    expect(await approve(user, waiting, 2)).toMatchObject(decided);
    expect(await app.slots()).toEqual([`${waiting.runKey}/2`]);
    expect((await app.journal(user, waiting.conversationId)).slice(-5)).toEqual([
      'approval.decided',
      'approval.decided',
      'approval.decided',
      'run.resumed',
      'tool.returned',
    ]);
    await app.end(waiting);
  });

  it('goes on once when all are decided at the same time, at either replica', async () => {
    for (let round = 0; round < 10; round += 1) {
      const waiting = await app.run(user, { approvals: 4 });
      const answers = await Promise.all(
        waiting.approvals.flatMap((_, nth) => [
          approve(user, waiting, nth),
          deny(atOther(user), waiting, nth),
          approve(atOther(user), waiting, nth),
        ]),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(8);
      const journal = await app.journal(user, waiting.conversationId);
      expect(journal.filter((type) => type === 'approval.decided')).toHaveLength(4);
      expect(journal.filter((type) => type === 'run.resumed')).toHaveLength(1);
      expect(await app.slots()).toEqual([`${waiting.runKey}/2`]);
      await app.end(waiting);
    }
  });
});

describe('a decision that cannot resume the run is not recorded', () => {
  it('run_active and stop_pending: another run has the conversation', async () => {
    const waiting = await app.run(user, { approvals: 2 });
    const live = await app.run(user, { in: waiting.conversationId });
    // Only the last decision needs the conversation.
    expect(await approve(user, waiting, 0)).toMatchObject(decided);
    const { lastSeq } = await app.state(waiting.conversationId);
    await cannotBeDecided(app, user, waiting, 'run_active', 1);
    await app.give(waiting.conversationId, { type: 'StopRun', at: instantOf(Date.now()), runId: live.runId });
    await cannotBeDecided(app, user, waiting, 'stop_pending', 1);
    expect((await app.state(waiting.conversationId)).lastSeq).toBe(lastSeq + 1);
    expect([await statusOf(user, waiting, 1), await app.slots()]).toEqual(['pending', []]);
    await app.end({ ...live, conversationId: waiting.conversationId });
    expect(await approve(user, waiting, 1)).toMatchObject(decided);
    await app.end(waiting);
  });

  it('execution_capacity: every slot is taken', async () => {
    const waiting = await app.run(user, { approvals: 1 });
    const others = await Promise.all(Array.from({ length: capacity }, () => app.run(user)));
    for (const other of others)
      await app.get(ExecutionSlots).take({ ...other, userId: asId<UserId>(user.userId), segment: 1 });
    await cannotBeDecided(app, user, waiting, 'execution_capacity');
    for (const other of others) await app.end(other);
    expect(await deny(user, waiting)).toMatchObject(decided);
    await app.end(waiting);
  });

  it('execution_unavailable: no worker is heard of', async () => {
    const waiting = await app.run(user, { approvals: 2 });
    await app.workerHeard(false);
    try {
      expect(await approve(user, waiting, 1)).toMatchObject(decided);
      await cannotBeDecided(app, user, waiting, 'execution_unavailable');
    } finally {
      await app.workerHeard(true);
    }
    expect(await approve(user, waiting)).toMatchObject(decided);
    await app.end(waiting);
  });
});

it('an approval whose time is over is not decided any more, whether or not that is recorded yet', async () => {
  const waiting = await app.run(user, { approvals: 2, ttlMs: 300 });
  expect(await approve(user, waiting, 0)).toMatchObject(decided);
  while (app.get(Clock).now() < waiting.approvals[1]!.expiresAt) await sleep(20);
  expectProblem(await approve(user, waiting, 1), 'approval_not_pending');
  expectProblem(await deny(user, waiting, 1), 'approval_not_pending');
  expect((await user.get(pathOf(waiting, 0))).body).toMatchObject({ status: 'approved', endedReason: null });
  const expired = { status: 'expired', endedReason: 'timeout', decidedAt: null, decidedBy: null };
  expect((await user.get(pathOf(waiting, 1))).body).toMatchObject(expired);
  const journal = await app.journal(user, waiting.conversationId);
  expect(journal.slice(-4)).toEqual(['approval.expired', 'tool.returned', 'tool.returned', 'run.ended']);
  expect(await app.slots()).toEqual([]);
});

describe('the list', () => {
  it('shows pending ones by default, newest first, page by page, and counts each status', async () => {
    const several = await app.run(user, { approvals: 3 });
    const denied = await app.run(user, { approvals: 1 });
    await deny(user, denied);
    await approve(user, several, 0);
    const ids = several.approvals.map(({ approvalId }) => approvalId);
    const pending = await user.get<Listed>('/approvals');
    expect(pending.body.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect([pending.body.total, pending.body.nextCursor]).toEqual([2, null]);
    const deniedId = denied.approvals[0]!.approvalId;
    const list = async (query: string) => (await user.get<Listed>(`/approvals?${query}`)).body;
    expect(await list('status=denied')).toMatchObject({ total: 1, data: [{ id: deniedId }] });
    expect(await list('status=approved')).toMatchObject({ total: 1, data: [{ id: ids[0], status: 'approved' }] });
    expect(await list('status=expired')).toEqual({ data: [], nextCursor: null, total: 0 });
    const first = await list('status=all&limit=3');
    expect(first).toMatchObject({ total: 4 });
    const rest = await list(`status=all&limit=3&cursor=${first.nextCursor}`);
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual([deniedId, ...ids.toReversed()]);
    expect(rest.nextCursor).toBeNull();
    expectProblem(await user.get(`/approvals?cursor=${first.nextCursor}`), 'invalid_cursor');
    const stranger = await app.newUser();
    expectProblem(await stranger.get(`/approvals?status=all&cursor=${first.nextCursor}`), 'invalid_cursor');
    expectProblem(await user.get('/approvals?status=over'), 'invalid_input', { at: ['/status'] });
    expectProblem(await user.get('/approvals?limit=101'), 'invalid_input', { at: ['/limit'] });
    await app.end(denied);
  });
});

it('a receipt over HTTP proves what it says, at every stage', async () => {
  const waiting = await app.run(user, { approvals: 1 });
  const receipt = async () => (await user.get(`${pathOf(waiting)}/receipt`)).body;
  const pending = await receipt();
  expect([verifyReceipt(pending).problems, pending['decision']]).toEqual([[], null]);
  await approve(user, waiting);
  const decidedOne = await receipt();
  expect(verifyReceipt(decidedOne).problems).toEqual([]);
  expect(decidedOne).toMatchObject({ decision: { status: 'approved', actor: { kind: 'user', id: user.userId } } });
  expect(verifyReceipt({ ...decidedOne, decision: null }).problems).toMatchObject([
    { path: '/decision', message: 'does not follow from the events' },
  ]);
  await app.end(waiting);
});
