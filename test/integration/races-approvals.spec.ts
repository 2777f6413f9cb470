/** Reliability 3 and 4: many identical decisions at once, and opposite ones, over two replicas: one is recorded, one run goes on. */
import { Database } from '@app/read-store';
import type { Answer, TestClient } from '../support/deployment-client';
import { ApprovalsApp, type Waiting } from '../slices/approvals-app';

const full = process.env['FIGURES'] === 'full';
const IDENTICAL_ROUNDS = full ? 200 : 3;
const OPPOSITE_ROUNDS = full ? 1_000 : 20;
const AT_ONCE = 50;
const TIMEOUT_MS = 60_000 + (IDENTICAL_ROUNDS + OPPOSITE_ROUNDS) * 2_000;

let app: ApprovalsApp;
let clients: TestClient[];
beforeAll(async () => {
  app = await ApprovalsApp.start(2);
  const user = await app.newUser();
  clients = app.baseUrls.map((url) => user.via(url));
}, 60_000);
afterAll(() => app.stop());

async function decide(waiting: Waiting, at: number, verdict: 'approve' | 'deny'): Promise<Answer> {
  const [{ approvalId, fingerprint } = { approvalId: '', fingerprint: '' }] = waiting.approvals;
  const client = clients[at % clients.length]!;
  return client.post(`/approvals/${approvalId}/${verdict}`, verdict === 'approve' ? { fingerprint } : {});
}

/** One answer is 200, the others 409, and what follows from it happened once. */
async function oneEffect(waiting: Waiting, answers: readonly Answer[]): Promise<void> {
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(new Set(refused.map(({ status, body }) => `${status} ${String(body['reason'])}`))).toEqual(
    new Set(['409 approval_not_pending']),
  );
  const journal = await app.journal(clients[0]!, waiting.conversationId);
  expect(journal.slice(-3)).toEqual(['run.suspended', 'approval.decided', 'run.resumed']);
  expect(await app.slots()).toEqual([`${waiting.runKey}/2`]);
  await app.end(waiting);
}

it(
  'of identical approvals one is recorded',
  async () => {
    for (let round = 0; round < IDENTICAL_ROUNDS; round += 1) {
      const waiting = await app.run(clients[0]!, { approvals: 1 });
      const asked = Array.from({ length: AT_ONCE }, (_, nth) => decide(waiting, nth, 'approve'));
      await oneEffect(waiting, await Promise.all(asked));
    }
    process.stdout.write(
      `reliability 4: ${AT_ONCE} identical approvals in parallel, ${IDENTICAL_ROUNDS} times: ${IDENTICAL_ROUNDS} decisions\n`,
    );
  },
  TIMEOUT_MS,
);

it(
  'of an approval and a denial at two replicas one is recorded',
  async () => {
    const won = { approved: 0, denied: 0 };
    for (let round = 0; round < OPPOSITE_ROUNDS; round += 1) {
      const waiting = await app.run(clients[0]!, { approvals: 1 });
      const verdicts = round % 2 === 0 ? (['approve', 'deny'] as const) : (['deny', 'approve'] as const);
      const answers = await Promise.all(verdicts.map((verdict, nth) => decide(waiting, nth, verdict)));
      await oneEffect(waiting, answers);
      const [row] = await app
        .get(Database)
        .query<{ status: 'approved' | 'denied' }>('SELECT status FROM approvals WHERE id = $1', [
          waiting.approvals[0]!.approvalId,
        ]);
      won[row!.status] += 1;
    }
    expect(won.approved + won.denied).toBe(OPPOSITE_ROUNDS);
    process.stdout.write(
      `reliability 3: ${OPPOSITE_ROUNDS} races of two replicas for one approval: ${OPPOSITE_ROUNDS} decisions ` +
        `(${won.approved} approved, ${won.denied} denied)\n`,
    );
  },
  TIMEOUT_MS,
);
