import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { TestClient } from '@app/testing/client';
import { answered } from '@app/testing/journeys';
import type { Deployment } from '@app/testing/deployment';

/** The number of runs started in parallel. */
export const STARTS = 100;
const WITHIN_MS = 120_000;
/** Faults that keep runs live until they are aborted. */
export const staying = { model: { delayMs: 60_000 } };

/** The conversation in which one of the runs is started, and a client for one of two replicas. */
export interface Place {
  readonly client: TestClient;
  readonly conversationId: string;
}

/** A hundred conversations, distributed over so many users. */
export async function places(deployment: Deployment, usersCount: number): Promise<Place[]> {
  const users = await Promise.all(Array.from({ length: usersCount }, () => deployment.newUser()));
  return Promise.all(
    Array.from({ length: STARTS }, async (_, index) => {
      const client = users[index % usersCount]!.via(deployment.baseUrls[Math.floor(index / usersCount) % 2]!);
      const { body } = await answered(() => client.post<{ id: string }>('/conversations', {}));
      return { client, conversationId: body.id };
    }),
  );
}

/** Waits until no run holds a slot or a reservation: both are returned a moment after a run has ended. */
export async function untilFree({ databaseUrl }: Deployment, place: Place): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    for (const deadline = performance.now() + WITHIN_MS; ; await sleep(50)) {
      const { body } = await place.client.get<{ snapshots: { reservedCents: number }[] }>('/budget');
      const { rows } = await database.query('SELECT 1 FROM execution_slots');
      if (rows.length === 0 && body.snapshots.every(({ reservedCents }) => reservedCents === 0)) return;
      expect(performance.now()).toBeLessThan(deadline);
    }
  } finally {
    await database.end();
  }
}
