/** Many more callers than a process handles at once: it refuses them with a clear reason, keeps what it accepted, and recovers at once. */
import { randomUUID } from 'node:crypto';
import { auditJournal, settled, openedEvents } from '@app/testing/audits';
import type { Answer, TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Acknowledged, asking, conversationOf, newOwner } from '@app/testing/journeys';
import { until } from '@app/testing/until';

const atOnce = 4;
const callers = 16 * atOnce;
/** Rounds of each caller, counted from the first 429 on. */
const callsEach = 10;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { REQUESTS_AT_ONCE: String(atOnce), EXECUTION_CAPACITY: String(atOnce), BUDGET_DAY_CENTS: '1000000' },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(() => deployment.stop());

/** Callers that call without a pause, and keep the answers. */
class Crowd {
  readonly acknowledged: Acknowledged[] = [];
  readonly refusals = new Map<string, number>();
  readonly wrong: string[] = [];
  private isNoticed = false;
  private notice: () => void = () => undefined;
  readonly noticed = new Promise<void>((resolve) => (this.notice = resolve));
  readonly gone: Promise<unknown>;

  constructor(users: readonly TestClient[]) {
    this.gone = Promise.all(users.map((user) => this.call(user)));
  }

  private async call(user: TestClient): Promise<void> {
    for (let left = callsEach; left > 0; left -= this.isNoticed ? 1 : 0) {
      const created = await user.post<{ id: string }>('/conversations', {});
      if (!this.isTaken(created, 201)) continue;
      const conversationId = created.body.id;
      this.acknowledged.push({ kind: 'created', conversationId });
      const asked = { conversationId, runId: randomUUID(), input: { text: 'repeat after me: again' } };
      const started = await user.post<{ seq: number }>('/agent-runs', asked);
      if (!this.isTaken(started, 202)) continue;
      this.acknowledged.push({ kind: 'started', conversationId, runId: asked.runId, seq: started.body.seq });
    }
  }

  private isTaken({ status, headers, body }: Answer<object>, success: number): boolean {
    if (status === success) return true;
    const reason = String(Reflect.get(body, 'reason'));
    const isClean =
      (status === 429 && reason === 'rate_limited' && /^[123]$/.test(headers.get('retry-after') ?? '')) ||
      (status === 409 && reason === 'execution_capacity') ||
      (status === 503 && reason === 'internal');
    if (!isClean || Reflect.get(body, 'retryable') !== true) this.wrong.push(`${status} ${JSON.stringify(body)}`);
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
    if (status === 429) {
      this.isNoticed = true;
      this.notice();
    }
    return false;
  }
}

test('what is accepted in an overload is done, the rest is refused, decisions come through, and afterwards everybody is served', async () => {
  const owner = await newOwner(deployment);
  const { approval } = await asking(owner, await conversationOf(owner), 'withdraw 1.5 USDC');
  const users: TestClient[] = [];
  while (users.length < callers) users.push(await deployment.newUser());
  const crowd = new Crowd(users);
  await crowd.noticed;
  // Decisions are admitted up to four times as many requests in flight. One may still have to be retried until earlier requests are done or
  // a slot is free.
  await until('a decision', async () => {
    const { status, body } = await owner.post(`/approvals/${approval.id}/deny`, {});
    expect([200, 409, 429]).toContain(status);
    if (status !== 200) expect(body['reason']).toBe(status === 409 ? 'execution_capacity' : 'rate_limited');
    return status === 200 ? true : null;
  });
  await crowd.gone;

  // No request is in flight any more, so the next one is served.
  expect((await owner.post('/conversations', {})).status).toBe(201);
  expect([crowd.wrong, crowd.acknowledged.length > 0]).toEqual([[], true]);
  const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
  const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [] };
  expect({ left, ...auditJournal(await openedEvents(deployment.databaseUrl, events), crowd.acknowledged, []) }).toEqual(
    { left: [], ...nothing },
  );
  const told = [...crowd.refusals].map(([reason, count]) => `${count} ${reason}`).join(', ');
  process.stdout.write(`overload: ${crowd.acknowledged.length} acknowledged, none lost; refused: ${told}\n`);
});
