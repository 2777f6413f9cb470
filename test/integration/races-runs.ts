/** Reliability 3: two apis and two workers race for the same starts, runs, aborts and cents; each is decided once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { overReplicas, type Races, recorded } from './races';

const full = process.env['FIGURES'] === 'full';
const RACES = Number(process.env['RACES'] ?? (full ? 1_000 : 20));
/** The number of parallel races, each on a separate conversation of a separate user. */
const AT_ONCE = 8;
const ENDED_WITHIN_MS = 180_000;
const TIMEOUT_MS = 240_000 + RACES * 2_000;

let races: Races;

async function open(client: TestClient): Promise<string> {
  const { status, body } = await client.post<{ id: string }>('/conversations', {});
  expect(status).toBe(201);
  return body.id;
}

interface Run {
  readonly runId: string;
  readonly seq: number;
  readonly status: string;
}

async function ended(client: TestClient, runId: string): Promise<Run> {
  const look = async () => {
    const { body } = await client.get<Run>(`/agent-runs/${runId}`);
    return ['completed', 'failed', 'aborted'].includes(body.status) ? body : null;
  };
  return until(`the end of run ${runId}`, look, ENDED_WITHIN_MS);
}

/**
 * Both replicas start the same run in parallel. In every other race both also abort it in parallel, at a random moment.
 */
async function race(client: TestClient, index: number): Promise<void> {
  const conversationId = await open(client);
  const aborting = index % 2 === 1;
  const text = `repeat after me: ${aborting ? 'these words take a while to say' : 'short'}`;
  const asked = { conversationId, runId: randomUUID(), input: { text } };
  const starts = await Promise.all(
    overReplicas(races, client).map((replica) => replica.post<Run>('/agent-runs', asked)),
  );
  // A refusal is shown with its body, which names the slow dependency.
  expect(starts.map(({ status, body }) => (status === 202 ? status : body))).toEqual([202, 202]);
  expect(new Set(starts.map(({ body }) => `${body.runId} ${body.seq}`)).size).toBe(1);
  if (!aborting) {
    expect(await ended(client, asked.runId)).toMatchObject({ status: 'completed' });
    return;
  }
  await sleep(Math.random() * 400);
  const path = `/agent-runs/${asked.runId}/abort`;
  const aborts = await Promise.all(
    overReplicas(races, client).map((replica) => replica.post<{ aborted: boolean }>(path)),
  );
  expect(aborts.map(({ status }) => status)).toEqual([200, 200]);
  const recorded = aborts.filter(({ body }) => body.aborted).length;
  const { status } = await ended(client, asked.runId);
  expect({ recorded, status }).toEqual({ recorded: status === 'aborted' ? 1 : 0, status });
}

export function racesForRuns(begun: () => Promise<Races>): void {
  beforeAll(async () => void (races = await begun()));

  test(
    'the same start, the same run and the same abort on two replicas: one decision',
    async () => {
      const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => races.deployment.newUser()));
      let next = 0;
      await Promise.all(
        clients.map(async (client) => {
          while (next < RACES) await race(client, next++);
        }),
      );
      const { events, left } = await recorded(races);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      process.stdout.write(
        `reliability 3: ${RACES} races of two replicas for start, claim and abort: ${count('run.started')} runs started, ` +
          `${count('run.claimed')} claims, ${count('run.ended')} ended, ${left.length} stuck\n`,
      );
      expect(left).toEqual([]);
      expect([count('run.started'), count('run.ended')]).toEqual([RACES, RACES]);
    },
    TIMEOUT_MS,
  );
}
