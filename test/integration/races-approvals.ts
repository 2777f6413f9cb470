/**
 * Reliability 3: two replicas race to decide the same approval or withdrawal, in different ways or against its expiry;
 * one decision is recorded.
 */
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { overReplicas, type Races, recorded } from './races';

const full = process.env['FIGURES'] === 'full';
const RACES = Number(process.env['RACES'] ?? (full ? 1_000 : 12));
/** Races against the service's clock, which are sequential because moving it affects every user. */
const EXPIRIES = full ? 50 : 2;
/** The number of parallel races, each for a separate user. */
const AT_ONCE = 6;
const TIMEOUT_MS = 240_000 + RACES * 3_000 + EXPIRIES * 10_000;
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const aDaySeconds = 86_400;

let races: Races;

interface Approval {
  readonly status: string;
  readonly fingerprint: string;
  readonly operationId: string | null;
  readonly expiresAt: string;
}

async function owner(): Promise<TestClient> {
  const client = await races.deployment.newUser();
  expect((await client.post('/wallet')).status).toBe(200);
  return client;
}

/** A run that waits to withdraw the smallest amount. */
async function waiting(client: TestClient): Promise<{ runId: string; path: string; approval: Approval }> {
  const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
  const asked = { conversationId: conversation.id, input: { text: 'withdraw 0.000001 USDC' } };
  const { body: run } = await client.post<{ runId: string }>('/agent-runs', asked);
  const approvalId = await until('an approval', async () => {
    const { body } = await client.get<{ pendingApprovalIds: string[] }>(`/agent-runs/${run.runId}`);
    return body.pendingApprovalIds[0];
  });
  const path = `/approvals/${approvalId}`;
  return { runId: run.runId, path, approval: (await client.get<Approval>(path)).body };
}

async function endOf(client: TestClient, runId: string): Promise<string> {
  return until(`the end of ${runId}`, async () => {
    const { body } = await client.get<{ status: string }>(`/agent-runs/${runId}`);
    return ['completed', 'failed', 'aborted'].includes(body.status) ? body.status : null;
  });
}

async function overOf(client: TestClient, operationId: string): Promise<string> {
  return until(`the end of ${operationId}`, async () => {
    const { body } = await client.get<{ status: string }>(`/financial-operations/${operationId}`);
    return ['settled', 'failed', 'expired', 'denied'].includes(body.status) ? body.status : null;
  });
}

/** The same client, through the other replica. */
const there = (client: TestClient): TestClient => overReplicas(races, client)[1] ?? client;

/** `200`, or `409 reason`. */
const said = ({ status, body: { reason } }: Answer): string =>
  typeof reason === 'string' ? `${status} ${reason}` : `${status}`;

async function approveAgainstDeny(client: TestClient): Promise<void> {
  const { runId, path, approval } = await waiting(client);
  const [approved, denied] = await Promise.all([
    client.post(`${path}/approve`, { fingerprint: approval.fingerprint }),
    there(client).post(`${path}/deny`),
  ]);
  expect([said(approved), said(denied)].sort()).toEqual(['200', '409 approval_not_pending']);
  expect(await endOf(client, runId)).toBe('completed');
  const { body } = await client.get<Approval>(path);
  expect(body.status).toBe(approved.status === 200 ? 'approved' : 'denied');
  if (body.status === 'approved') expect(await overOf(client, String(body.operationId))).toBe('settled');
  else expect(body.operationId).toBeNull();
}

async function approveAgainstAbort(client: TestClient): Promise<void> {
  const { runId, path, approval } = await waiting(client);
  const [approved, aborted] = await Promise.all([
    client.post(`${path}/approve`, { fingerprint: approval.fingerprint }),
    there(client).post(`/agent-runs/${runId}/abort`),
  ]);
  expect([said(approved), said(aborted)]).toEqual([
    expect.stringMatching(/^200$|^409 approval_not_pending$/),
    expect.stringMatching(/^200$/),
  ]);
  expect(await endOf(client, runId)).toBe(aborted.body['aborted'] === true ? 'aborted' : 'completed');
  const { body } = await client.get<Approval>(path);
  // A resumed run can still be aborted, so the approval may have been used or not.
  expect(body.status).toBe(approved.status === 200 ? 'approved' : 'expired');
  if (body.operationId !== null) expect(await overOf(client, body.operationId)).toBe('settled');
}

async function confirmAgainstDeny(client: TestClient): Promise<void> {
  const asked = { tokenId: usdc, amountRaw: '1' };
  const { body } = await client.post<Record<'operationId' | 'approvalId' | 'fingerprint', string>>(
    '/wallet/withdrawals',
    asked,
  );
  const { operationId, approvalId, fingerprint } = body;
  const [confirmed, denied] = await Promise.all([
    client.post(`/wallet/withdrawals/${operationId}/confirm`, { fingerprint }),
    there(client).post(`/approvals/${approvalId}/deny`),
  ]);
  const outcomes = [
    ['202', '409 approval_not_pending'],
    ['409 withdrawal_changed', '200'],
  ];
  expect(outcomes).toContainEqual([said(confirmed), said(denied)]);
  expect(await overOf(client, operationId)).toBe(confirmed.status === 202 ? 'settled' : 'denied');
}

const kinds = [approveAgainstDeny, approveAgainstAbort, confirmAgainstDeny] as const;

export function racesForApprovals(begun: () => Promise<Races>): void {
  beforeAll(async () => void (races = await begun()));

  test(
    'approve against deny, approve against abort, confirm against deny: one of them is recorded',
    async () => {
      const clients = await Promise.all(Array.from({ length: AT_ONCE }, owner));
      let next = 0;
      await Promise.all(
        clients.map(async (client) => {
          while (next < RACES) await kinds[next++ % kinds.length]?.(client);
        }),
      );
    },
    TIMEOUT_MS,
  );

  test(
    'a decision against its expiry, by a clock that moves there: one of them is recorded',
    async () => {
      const client = await owner();
      const outcomes: string[] = [];
      for (let round = 0; round < EXPIRIES; round += 1) {
        const { runId, path, approval } = await waiting(client);
        const [decided] = await Promise.all([
          there(client).post(`${path}/approve`, { fingerprint: approval.fingerprint }),
          races.deployment.sandbox('POST', 'clock', { advanceSeconds: aDaySeconds }),
        ]);
        outcomes.push(said(decided));
        const status = await endOf(client, runId);
        const { body } = await client.get<Approval>(path);
        const recorded = `${said(decided)}: ${body.status}, ${status}`;
        // An approval in time is used in time, or its call has expired because the clock was faster than the worker.
        expect(['200: approved, completed', '409 approval_not_pending: expired, failed']).toContain(recorded);
        if (body.operationId !== null) await overOf(client, body.operationId);
      }
      expect(outcomes).toHaveLength(EXPIRIES);
    },
    TIMEOUT_MS,
  );

  test(
    'after all of it: every approval was decided once',
    async () => {
      const { events, left } = await recorded(races);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      const [opened, ends] = [count('approval.opened'), count('approval.decided') + count('approval.expired')];
      process.stdout.write(
        `reliability 3: ${opened} races of two replicas for one approval: ${count('approval.decided')} decided, ` +
          `${count('approval.expired')} expired, ${left.length} stuck\n`,
      );
      expect(left).toEqual([]);
      expect([opened, ends]).toEqual([RACES + EXPIRIES, RACES + EXPIRIES]);
    },
    TIMEOUT_MS,
  );
}
