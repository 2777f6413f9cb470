/** Reliability 4: fifty identical approvals, or confirms, in parallel on two replicas have one effect. */
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { overReplicas, type Races, recorded } from './races';

const full = process.env['FIGURES'] === 'full';
/** The rounds of approvals, and of confirms. */
const ROUNDS = Number(process.env['CONFIRMS'] ?? (full ? 200 : 2));
const AT_ONCE = 50;
const TIMEOUT_MS = 240_000 + ROUNDS * 10_000;
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
/** The number of withdrawals that one wallet can afford. */
const roundsPerUser = 20;

let races: Races;

/** Creates the owners. Returns the one whose wallet pays for a round. */
async function owners(): Promise<(round: number) => TestClient> {
  const all: TestClient[] = [];
  for (let round = 0; round < ROUNDS; round += roundsPerUser) {
    const owner = await races.deployment.newUser();
    expect((await owner.post('/wallet')).status).toBe(200);
    all.push(owner);
  }
  return (round) => all[Math.floor(round / roundsPerUser)]!; // reason for the assertion: one was made for each
}

/** Makes the same call fifty times in parallel on both replicas. Returns the number of each answer. */
async function fiftyTimes(
  client: TestClient,
  call: (replica: TestClient) => Promise<Answer>,
): Promise<Record<string, number>> {
  const replicas = overReplicas(races, client);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => call(replicas[index % replicas.length] ?? client)),
  );
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = typeof body['reason'] === 'string' ? `${status} ${body['reason']}` : `${status}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function untilSettled(client: TestClient, operationId: string): Promise<void> {
  await until(`the settlement of ${operationId}`, async () => {
    const { body } = await client.get<{ status: string }>(`/financial-operations/${operationId}`);
    if (body.status === 'failed') throw new Error(`operation ${operationId} failed: ${JSON.stringify(body)}`);
    return body.status === 'settled' ? true : null;
  });
}

async function pendingApproval(client: TestClient): Promise<{ readonly path: string; readonly fingerprint: string }> {
  const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
  const asked = { conversationId: conversation.id, input: { text: 'withdraw 1.5 USDC' } };
  const { body: run } = await client.post<{ runId: string }>('/agent-runs', asked);
  const approvalId = await until('an approval', async () => {
    const { body } = await client.get<{ pendingApprovalIds: string[] }>(`/agent-runs/${run.runId}`);
    return body.pendingApprovalIds[0] ?? null;
  });
  const path = `/approvals/${approvalId}`;
  return { path, fingerprint: (await client.get<{ fingerprint: string }>(path)).body.fingerprint };
}

async function countOf(types: readonly string[]): Promise<number> {
  const { events } = await recorded(races);
  return events.filter(({ type }) => types.includes(type)).length;
}

async function operationOf(client: TestClient, path: string): Promise<string | null> {
  return (await client.get<{ operationId: string | null }>(path)).body.operationId;
}

export function identicalDecisions(begun: () => Promise<Races>): void {
  beforeAll(async () => void (races = await begun()));

  test(
    'fifty identical approvals at once: one is recorded, one transfer is made',
    async () => {
      const ownerOf = await owners();
      for (let round = 0; round < ROUNDS; round += 1) {
        const client = ownerOf(round);
        const { path, fingerprint } = await pendingApproval(client);
        const counts = await fiftyTimes(client, (replica) => replica.post(`${path}/approve`, { fingerprint }));
        expect(counts).toEqual({ '200': 1, '409 approval_not_pending': AT_ONCE - 1 });
        const { body } = await client.get<{ operationId: string | null }>(path);
        const operationId = body.operationId ?? (await until('the use', () => operationOf(client, path)));
        await untilSettled(client, operationId);
      }
      expect(await countOf(['operation.used'])).toBe(ROUNDS);
    },
    TIMEOUT_MS,
  );

  test(
    'fifty identical confirms at once: one is accepted, one withdrawal is made',
    async () => {
      const ownerOf = await owners();
      for (let round = 0; round < ROUNDS; round += 1) {
        const client = ownerOf(round);
        const asked = { tokenId: usdc, amountRaw: '1500000' };
        const { body } = await client.post<{ operationId: string; fingerprint: string }>('/wallet/withdrawals', asked);
        const { operationId, fingerprint } = body;
        const path = `/wallet/withdrawals/${operationId}/confirm`;
        const counts = await fiftyTimes(client, (replica) => replica.post(path, { fingerprint }));
        expect(counts).toEqual({ '202': 1, '409 withdrawal_changed': AT_ONCE - 1 });
        await untilSettled(client, operationId);
      }
      expect(await countOf(['operation.confirmed'])).toBe(ROUNDS);
    },
    TIMEOUT_MS,
  );

  test(
    'after all of it: one settlement for each',
    async () => {
      const { events, left } = await recorded(races);
      const ends = events.filter(({ type }) => type === 'operation.settled').length;
      process.stdout.write(
        `reliability 4: ${AT_ONCE} identical approvals and ${AT_ONCE} identical confirms at once on two replicas, ${ROUNDS} times each: ` +
          `${ends} settlements of ${2 * ROUNDS}, ${left.length} stuck\n`,
      );
      expect(left).toEqual([]);
      expect(ends).toBe(2 * ROUNDS);
    },
    TIMEOUT_MS,
  );
}
