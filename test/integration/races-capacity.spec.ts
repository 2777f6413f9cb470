/** Reliability 3: execution capacity, and the cap of a budget, are held exactly by two replicas that admit at the same time, and die. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '@app/event-store';
import { Client } from 'pg';
import { auditJournal, settled, unlikeAReplay } from '@app/testing/audits';
import { answered } from '@app/testing/journeys';
import type { Answer, TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';

const CAPACITY = 7;
const STARTS = 100;
/** Users share the starts, so that no budget stands in the way. */
const USERS = 10;
const WITHIN_MS = 120_000;
const RESERVATION_CENTS = 25;
/** How often the cap of a budget is raced for; an api dies in each, the two in turn. */
const CAP_ROUNDS = process.env['FIGURES'] === 'full' ? 10 : 1;

let deployment: Deployment;
/** Two apis and two workers, whose runs stay live until they are aborted. */
async function deploy(env: Record<string, string>): Promise<void> {
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 2 }, env });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
}
afterEach(() => deployment.stop(), 60_000);

interface Place {
  readonly client: TestClient;
  readonly conversationId: string;
}

async function places(usersCount: number): Promise<Place[]> {
  const users = await Promise.all(Array.from({ length: usersCount }, () => deployment.newUser()));
  return Promise.all(
    Array.from({ length: STARTS }, async (_, index) => {
      const client = users[index % usersCount]!.via(deployment.baseUrls[Math.floor(index / usersCount) % 2]!);
      const { body } = await client.post<{ id: string }>('/conversations', {});
      return { client, conversationId: body.id };
    }),
  );
}

/** Starts a run, and asks again while the service says that a store did not answer, which a hundred at once can make of a slow machine. */
function start({ client, conversationId }: Place): Promise<Answer<{ runId: string; reason?: string }>> {
  const asked = { conversationId, runId: randomUUID(), input: { text: 'repeat after me: these few words' } };
  return answered(() => client.post('/agent-runs', asked), { orStatus: 409 });
}

test('of a hundred starts at once exactly as many are admitted as there is capacity, and again once it is free', async () => {
  await deploy({ EXECUTION_CAPACITY: String(CAPACITY) });
  const all = await places(USERS);
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(all.map(async (place) => ({ place, ...(await start(place)) })));
    const admitted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    process.stdout.write(
      `reliability 3: capacity ${CAPACITY}, ${STARTS} starts at once on two replicas: ${admitted.length} admitted\n`,
    );
    expect(admitted.length).toBe(CAPACITY);
    const reasons = new Set(refused.map(({ status, body }) => `${status} ${body.reason}`));
    expect(reasons).toEqual(new Set(['409 execution_capacity']));
    await Promise.all(admitted.map(({ place, body }) => place.client.post(`/agent-runs/${body.runId}/abort`)));
    await untilFree(all[0]!);
  }
});

interface Start {
  readonly runId: string;
  readonly status: number;
  readonly reason: string | undefined;
}

/** All places are started at once, each asked again until it is answered; the first 202 is the moment at which an api dies. */
async function raceWithADeath(all: readonly Place[], victim: number): Promise<{ starts: Start[]; cut: number }> {
  const api = deployment.apis[victim]!;
  const cut = new Set<string>();
  const deaths: Promise<void>[] = [];
  const ask = async ({ client, conversationId }: Place): Promise<Start> => {
    const runId = randomUUID();
    const asked = { conversationId, runId, input: { text: 'repeat after me: these few words' } };
    const askOnce = () =>
      client.post<{ reason?: string }>('/agent-runs', asked).catch((error: unknown) => {
        cut.add(runId);
        throw error;
      });
    const { status, body } = await answered(askOnce, { orStatus: 409 });
    if (status === 202 && deaths.length === 0) deaths.push(api.restart());
    return { runId, status, reason: body.reason };
  };
  const starts = await Promise.all(all.map(ask));
  await Promise.all(deaths);
  return { starts, cut: cut.size };
}

/** The most that a budget ever held of one day, in cents. */
function mostHeldCents(events: readonly StoredEvent[]): number {
  let [held, most] = [0, 0];
  for (const { type, payload } of events) {
    if (type === 'budget.reserved') held += Number(payload['amountCents']);
    if (type === 'budget.released') held -= Number(payload['amountCents']);
    if (type === 'budget.spent') held -= Number(payload['releasedCents']);
    most = Math.max(most, held);
  }
  return most;
}

test(
  'a cap that admits seven admits seven of a hundred starts at once, whichever replica dies meanwhile',
  async () => {
    await deploy({ BUDGET_DAY_CENTS: String(CAPACITY * RESERVATION_CENTS), EXECUTION_CAPACITY: '1000' });
    const all = await places(1);
    for (let round = 0; round < CAP_ROUNDS; round += 1) {
      const { starts, cut } = await raceWithADeath(all, round % 2);
      const admitted = starts.filter(({ status }) => status === 202);
      const refused = starts.filter(({ status }) => status !== 202);
      process.stdout.write(
        `reliability 3: a cap for ${CAPACITY} runs, ${STARTS} starts at once on two replicas, one killed (${cut} starts cut): ` +
          `${admitted.length} admitted\n`,
      );
      expect(admitted.length).toBe(CAPACITY);
      expect(new Set(refused.map(({ status, reason }) => `${status} ${reason}`))).toEqual(
        new Set(['409 budget_exhausted']),
      );
      expect(cut).toBeGreaterThan(0);
      const { client } = all[0]!;
      await Promise.all(admitted.map(({ runId }) => answered(() => client.post(`/agent-runs/${runId}/abort`))));
      await untilFree(all[0]!);
    }
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [], unlike: [] };
    const unlike = await unlikeAReplay(deployment.databaseUrl, events);
    expect({ ...auditJournal(events, [], []), left, unlike }).toEqual(nothing);
    expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(CAP_ROUNDS * CAPACITY);
    expect(mostHeldCents(events)).toBe(CAPACITY * RESERVATION_CENTS);
  },
  300_000 + CAP_ROUNDS * 30_000,
);

/** Slots are given back by whoever sees the ends of the runs, a moment after them. */
async function untilFree(place: Place): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const { body } = await place.client.get<{ snapshots: { reservedCents: number }[] }>('/budget');
    if ((await slotsTaken()) === 0 && body.snapshots.every(({ reservedCents }) => reservedCents === 0)) return;
    expect(performance.now()).toBeLessThan(deadline);
    await sleep(50);
  }
}

async function slotsTaken(): Promise<number> {
  const database = new Client({ connectionString: deployment.databaseUrl });
  await database.connect();
  const { rows } = await database.query('SELECT 1 FROM execution_slots');
  await database.end();
  return rows.length;
}
