/** Reliability 3: two replicas that admit runs in parallel, and die, keep a budget's cap exactly. */
import { randomUUID } from 'node:crypto';
import { Budgets } from '@app/budget';
import { openProduct } from '@app/composition';
import type { StoredEvent } from '@app/event-store';
import { asId, type Cause, type RequestId, type UserId } from '@app/kernel';
import { readConfiguration } from '@app/settings';
import { testSecretKey } from '@app/testing/deployment';
import { answered } from '@app/testing/journeys';
import type { Answer, TestClient } from '@app/testing/client';
import { type Place, places, STARTS, untilFree } from './places';
import { type Races, recorded } from './races';

const ADMITTED = 7;
const RESERVATION_CENTS = 25;
/** The number of races for the cap with a death; in each, one api dies, the two alternating. */
const CAP_ROUNDS = process.env['FIGURES'] === 'full' ? 10 : 1;
const TIMEOUT_MS = 300_000 + CAP_ROUNDS * 30_000;

let races: Races;

/** Sets an operator's cap from outside the deployment's processes. */
async function capTo({ userId }: TestClient, dayCents: number): Promise<void> {
  const { databaseUrl, eventStoreUrl } = races.deployment;
  const env = {
    DATABASE_URL: databaseUrl,
    EVENTSTORE_URL: eventStoreUrl,
    PARLEY_SECRET_KEY: testSecretKey,
    LOG_LEVEL: 'warn',
  };
  const product = await openProduct(readConfiguration(env));
  const requestId = asId<RequestId>(randomUUID());
  const actor = { kind: 'service', id: 'test' } as const;
  const cause: Cause = { actor, requestId, correlationId: requestId, causationId: requestId };
  const change = { userId: asId<UserId>(userId), reason: 'a test', cause };
  const set = await product.get(Budgets, { strict: false }).setCaps(change, { dayCents, monthCents: 1_000_000 });
  await product.close();
  expect(set.ok).toBe(true);
}

interface Start {
  readonly runId: string;
  readonly status: number;
  readonly reason: string | undefined;
}

/** Starts all places in parallel, each repeated until it is answered. An api dies at the first 202. */
async function raceWithADeath(all: readonly Place[], victim: number): Promise<{ starts: Start[]; cut: number }> {
  const api = races.deployment.apis[victim]!;
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

/** The largest amount that a budget ever held in one day, in cents. */
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

/** A hundred places of one user, whose budget is enough for seven runs. */
async function cappedPlaces(): Promise<Place[]> {
  const all = await places(races.deployment, 1);
  await capTo(all[0]!.client, ADMITTED * RESERVATION_CENTS);
  return all;
}

export function racesForCaps(begun: () => Promise<Races>): void {
  beforeEach(async () => void (races = await begun()));

  test(
    'a cap that admits seven admits seven of a hundred starts at once',
    async () => {
      const all = await cappedPlaces();
      const answers = await Promise.all(
        all.map(({ client, conversationId }): Promise<Answer<{ runId: string; reason?: string }>> => {
          const asked = { conversationId, input: { text: 'repeat after me: these few words' } };
          return client.post('/agent-runs', asked);
        }),
      );
      const admitted = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      process.stdout.write(
        `reliability 3: a cap for ${ADMITTED} runs, ${STARTS} starts at once on two replicas: ${admitted.length} admitted\n`,
      );
      expect(admitted.length).toBe(ADMITTED);
      expect(new Set(refused.map(({ status, body }) => `${status} ${body.reason}`))).toEqual(
        new Set(['409 budget_exhausted']),
      );
      await Promise.all(admitted.map(({ body }) => all[0]!.client.post(`/agent-runs/${body.runId}/abort`)));
      await untilFree(races.deployment, all[0]!);
    },
    TIMEOUT_MS,
  );

  test(
    'a cap that admits seven admits seven of a hundred starts at once, whichever replica dies meanwhile',
    async () => {
      const all = await cappedPlaces();
      for (let round = 0; round < CAP_ROUNDS; round += 1) {
        const { starts, cut } = await raceWithADeath(all, round % 2);
        const admitted = starts.filter(({ status }) => status === 202);
        const refused = starts.filter(({ status }) => status !== 202);
        process.stdout.write(
          `reliability 3: a cap for ${ADMITTED} runs, ${STARTS} starts at once on two replicas, one killed (${cut} starts cut): ` +
            `${admitted.length} admitted\n`,
        );
        expect(admitted.length).toBe(ADMITTED);
        expect(new Set(refused.map(({ status, reason }) => `${status} ${reason}`))).toEqual(
          new Set(['409 budget_exhausted']),
        );
        expect(cut).toBeGreaterThan(0);
        const { client } = all[0]!;
        await Promise.all(admitted.map(({ runId }) => answered(() => client.post(`/agent-runs/${runId}/abort`))));
        await untilFree(races.deployment, all[0]!);
      }
      const { events, left } = await recorded(races);
      expect(left).toEqual([]);
      expect(events.filter(({ type }) => type === 'run.started')).toHaveLength(CAP_ROUNDS * ADMITTED);
      expect(mostHeldCents(events)).toBe(ADMITTED * RESERVATION_CENTS);
    },
    TIMEOUT_MS,
  );
}
