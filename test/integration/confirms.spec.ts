/** Reliability 4: fifty identical confirmations of a withdrawal at once, over two replicas: one is accepted, and one payment is made. */
import { auditMoney } from '../crash/money-audit';
import { sql } from '../e2e/journeys';
import { confirm, holdings, newOwner, prepare, prompt, providerFault, untilOperation, usdc } from '../e2e/money';
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = full ? 200 : 4;
const AT_ONCE = 50;
const TIMEOUT_MS = 60_000 + ROUNDS * 3_000;
/** A dollar a round, out of the 250 that a new wallet has. */
const amountRaw = '1000000';
const wholeRaw = 250_000_000n;

let deployment: Deployment;
let clients: readonly TestClient[];
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  await providerFault(deployment, { ...prompt, duplicateCallbacks: true });
  const user = await newOwner(deployment);
  clients = deployment.baseUrls.map((baseUrl) => user.via(baseUrl));
}, 60_000);
afterAll(() => deployment.stop());

async function confirmedAtOnce(user: TestClient): Promise<string> {
  const prepared = await prepare(user, usdc, amountRaw);
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, nth) => confirm(clients[nth % clients.length] ?? user, prepared)),
  );
  const outcomes = answers.map(({ status, body }) => `${status} ${String(body['reason'] ?? body['status'])}`).sort();
  expect(outcomes).toEqual(['202 submitted', ...Array.from({ length: AT_ONCE - 1 }, () => '409 withdrawal_changed')]);
  return prepared.operationId;
}

test(
  'of identical confirmations one is accepted, and one payment is made',
  async () => {
    const [user] = clients;
    if (user === undefined) throw new Error('there is no replica');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const operationId = await confirmedAtOnce(user);
      expect(await untilOperation(user, operationId)).toMatchObject({ status: 'settled' });
      const orders = await sql(deployment, `SELECT key FROM sandbox_orders WHERE key LIKE $1 || '/%'`, [operationId]);
      expect(orders).toEqual([{ key: `${operationId}/0/1` }]);
      expect((await holdings(user))[usdc]).toBe((wholeRaw - BigInt(amountRaw) * BigInt(round)).toString());
    }
    expect(await auditMoney(deployment)).toEqual([]);
    process.stdout.write(
      `reliability 4: ${AT_ONCE} identical confirmations in parallel, ${ROUNDS} times: ${ROUNDS} payments\n`,
    );
  },
  TIMEOUT_MS,
);
