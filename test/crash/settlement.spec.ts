/**
 * SIGKILL around every call of the wallet provider, above all between journaling and submission: exactly one
 * settlement.
 */
import { Database } from '@app/read-store';
import type { Deployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import type { TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';
import { answered } from '@app/testing/journeys';
import { v5 as uuidV5 } from 'uuid';
import type { KillOrder, KillOrders } from './kill-orders';
import { startKillable, type Killable } from './killable';
import { auditOperations, settled, unbalanced } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';

const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const TIMEOUT_MS = 300_000;

describe.each(['together', 'processes'] as const)('api and worker as %s', (mode) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  let worker: TestProcess;
  let api: TestProcess;
  const confirmed: string[] = [];
  beforeAll(async () => {
    killable = await startKillable({ mode });
    ({ deployment, orders } = killable);
    [worker, api] = [deployment.workers[0]!, deployment.apis[0]!]; // reason for the assertions: one of each was started, or one that is both
    await deployment.sandbox('PUT', 'faults', { provider: { settleAfterSeconds: 1 }, model: { delayMs: 0 } });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await killable.stop();
  }, TIMEOUT_MS);

  interface Prepared {
    readonly operationId: string;
    readonly fingerprint: string;
  }

  async function owner(): Promise<TestClient> {
    const client = await deployment.newUser();
    await answered(() => client.post('/wallet'));
    return client;
  }

  async function prepared(client: TestClient): Promise<Prepared> {
    const asked = { tokenId: usdc, amountRaw: '2500000' };
    return (await answered(() => client.post<Prepared>('/wallet/withdrawals', asked))).body;
  }

  function confirm(client: TestClient, { operationId, fingerprint }: Prepared) {
    return client.post(`/wallet/withdrawals/${operationId}/confirm`, { fingerprint });
  }

  /**
   * A withdrawal of 2.5 USDC for which a run waits. Returns a function that approves it and returns the id of its
   * operation.
   */
  async function asked(client: TestClient): Promise<() => Promise<string>> {
    const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
    const input = { text: 'withdraw 2.5 USDC' };
    const { body: run } = await client.post<{ runId: string }>('/agent-runs', {
      conversationId: conversation.id,
      input,
    });
    const approvalId = await until('an approval', async () => {
      const { body } = await client.get<{ pendingApprovalIds: string[] }>(`/agent-runs/${run.runId}`);
      return body.pendingApprovalIds[0] ?? null;
    });
    const path = `/approvals/${approvalId}`;
    return async () => {
      const { body } = await client.get<{ fingerprint: string }>(path);
      await recorded(client.post(`${path}/approve`, { fingerprint: body.fingerprint }), 200);
      return uuidV5('agent_transfer', approvalId);
    };
  }

  /** Waits for an answer of that status. If the dying process is both api and worker, it may die before it answers. */
  async function recorded(asked: Promise<Answer>, status: number): Promise<void> {
    const answer = await asked.catch((error: unknown) => {
      if (mode === 'together') return null;
      throw error;
    });
    if (answer !== null) expect(answer.status).toBe(status);
  }

  /** Waits for the ordered death of a process. */
  async function untilDead(victim: TestProcess): Promise<void> {
    const { pid } = victim;
    await until(`the death of ${pid}`, () => Promise.resolve(isAlive(pid) ? null : true));
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      // The process does not exist any more.
      return false;
    }
  }

  /** The number of submissions journaled for an operation, and the number that the provider accepted. */
  async function attempts(operationId: string): Promise<{ journaled: number; taken: number }> {
    const events = await readAllEvents(deployment.eventStoreUrl);
    const ofOperation = events.filter(({ stream }) => stream === `operation-${operationId}`);
    const database = await Database.connect({ url: deployment.databaseUrl, poolSize: 1, rows: [], migrations: [] });
    const rows = await database.query<object>(
      `SELECT 1 FROM sandbox_orders WHERE key LIKE $1 || '/%' AND status IN ('accepted', 'settled', 'refunded')`,
      [operationId],
    );
    await database.close();
    return { journaled: ofOperation.filter(({ type }) => type === 'submission.journaled').length, taken: rows.length };
  }

  async function settlesOnce(client: TestClient, operationId: string): Promise<void> {
    confirmed.push(operationId);
    const operation = await until('the settlement', async () => {
      const { body } = await answered(() => client.get(`/financial-operations/${operationId}`), { orStatus: 404 });
      return body['status'] === 'settled' || body['status'] === 'failed' ? body : null;
    });
    expect(operation).toMatchObject({ status: 'settled', actions: [{ status: 'settled' }] });
    expect(await attempts(operationId)).toEqual({ journaled: 1, taken: 1 });
    // Until a worker projects again, the amount of a settled operation counts as taken a second time.
    await until('the balance', async () => {
      const { body } = await client.get<{ assets: Record<string, unknown>[] }>('/wallet/withdrawals/sources');
      return body.assets.find(({ tokenId, amountRaw }) => tokenId === usdc && amountRaw === '247500000') ?? null;
    });
  }

  /** A driver plans, sends and asks: its first, second and third call of the provider. */
  const deaths: readonly (readonly [string, KillOrder, { journaled: number; taken: number }])[] = [
    ['before anything is journaled', { point: 'provider:after', nth: 1 }, { journaled: 0, taken: 0 }],
    ['between journaling and submission', { point: 'provider:before', nth: 2 }, { journaled: 1, taken: 0 }],
    ['between submission and its answer', { point: 'provider:after', nth: 2 }, { journaled: 1, taken: 1 }],
    ['when the provider was asked what became of it', { point: 'provider:after', nth: 3 }, { journaled: 1, taken: 1 }],
  ];

  test.each(deaths)(
    'a worker that dies %s: a direct withdrawal settles once',
    async (_, order, before) => {
      const client = await owner();
      const withdrawal = await prepared(client);
      await orders.give(worker.pid, order);
      await recorded(confirm(client, withdrawal), 202);
      await untilDead(worker);
      expect(await attempts(withdrawal.operationId)).toEqual(before);
      await worker.start();
      await settlesOnce(client, withdrawal.operationId);
    },
    TIMEOUT_MS,
  );

  test.each(deaths.slice(1, 3))(
    'a worker that dies %s: an approved one does',
    async (_, order, before) => {
      const client = await owner();
      const approve = await asked(client);
      await orders.give(worker.pid, order);
      const operationId = await approve();
      await untilDead(worker);
      expect(await attempts(operationId)).toEqual(before);
      await worker.start();
      await settlesOnce(client, operationId);
    },
    TIMEOUT_MS,
  );

  test.each([
    ['before the confirmation is recorded', { point: 'append:before', nth: 1 } as const, 'prepared'],
    ['after it was, without an answer', { point: 'append:after', nth: 1 } as const, 'confirmed'],
  ])(
    'an api that dies %s: what was recorded says so',
    async (_, order, left) => {
      const client = await owner();
      const withdrawal = await prepared(client);
      await orders.give(api.pid, order);
      await expect(confirm(client, withdrawal)).rejects.toThrow();
      await untilDead(api);
      await api.start();
      const path = `/financial-operations/${withdrawal.operationId}`;
      const statusNow = async () => (await answered(() => client.get(path))).body['status'];
      if (left === 'prepared') {
        expect(await statusNow()).toBe('prepared');
        expect((await confirm(client, withdrawal)).status).toBe(202);
      } else {
        // The confirmation was never answered, so the read models may still lag behind it.
        await until('the confirmation', async () =>
          ['submitted', 'settled'].includes(String(await statusNow())) ? true : null,
        );
        expect(await confirm(client, withdrawal)).toMatchObject({
          status: 409,
          body: { reason: 'withdrawal_changed' },
        });
      }
      await settlesOnce(client, withdrawal.operationId);
    },
    TIMEOUT_MS,
  );

  test(
    'after all of it the books balance, and every confirmed operation has settled once',
    async () => {
      const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
      const found = [...left, ...(await unbalanced(deployment.databaseUrl)), ...auditOperations(events, confirmed)];
      process.stdout.write(
        `reliability 1, provider calls, ${mode}: ${(await orders.carriedOut()).length} kills, ${confirmed.length} operations, ` +
          `${found.length} lost, doubled or stuck\n`,
      );
      expect(found).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
