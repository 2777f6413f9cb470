/**
 * An api that dies in the middle of an admission: a caller who repeats the request with the same id gets exactly one
 * run; everything held for a caller who does not is given back (with FIGURES=full only, because that takes a minute).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Deployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { auditJournal, settled, openedEvents } from '@app/testing/audits';
import { answered } from '@app/testing/journeys';
import type { KillOrder, KillOrders } from './kill-orders';
import { startKillable, type Killable } from './killable';
import { layoutsTried, spread } from './layouts';

/** docs/decisions/runs.md, "Headroom", promises one minute; the remainder is for a busy machine. */
const GIVEN_BACK_WITHIN_MS = 75_000;
const ENDED_WITHIN_MS = 120_000;

/** Appends of an admission: 1 binds the run, 2 reserves, 3 starts it. A slot is taken between the last two. */
const deaths: readonly KillOrder[] = [
  { point: 'append:after', nth: 1 },
  { point: 'append:after', nth: 2 },
  { point: 'append:before', nth: 3 },
];

interface Broken {
  readonly conversationId: string;
  readonly runId: string;
  readonly input: { readonly text: string };
}

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  beforeAll(async () => {
    killable = await startKillable(spread(layout, 'api'));
    ({ deployment, orders } = killable);
  });
  afterAll(() => killable.stop());

  /** Requests a run during whose admission the api dies. */
  async function breakStart(client: TestClient, death: KillOrder): Promise<Broken> {
    const { body: conversation } = await answered(() => client.post<{ id: string }>('/conversations', {}));
    const asked = { conversationId: conversation.id, runId: randomUUID(), input: { text: 'repeat after me: ok' } };
    const [api] = deployment.apis;
    await orders.give(api!.pid, death);
    await expect(client.post('/agent-runs', asked)).rejects.toMatchObject({ message: 'fetch failed' });
    await api!.restart();
    return asked;
  }

  async function reservedCents(client: TestClient): Promise<number> {
    const { body } = await answered(() => client.get<{ snapshots: { reservedCents: number }[] }>('/budget'));
    return body.snapshots.reduce((sum, snapshot) => sum + snapshot.reservedCents, 0);
  }

  async function heldSlots(): Promise<number> {
    const database = new Client({ connectionString: deployment.databaseUrl });
    await database.connect();
    const { rowCount } = await database.query('SELECT 1 FROM execution_slots');
    await database.end();
    return rowCount ?? 0;
  }

  test('a caller who comes back gets the run, and once', async () => {
    const client = await deployment.newUser();
    // If there is another api, the caller repeats the request there.
    const later = client.via(deployment.baseUrls.at(-1) ?? client.baseUrl);
    for (const death of [...deaths, { point: 'append:after', nth: 3 } as const]) {
      const asked = await breakStart(client, death);
      expect((await answered(() => later.post('/agent-runs', asked))).status).toBe(202);
      const deadline = performance.now() + ENDED_WITHIN_MS;
      for (let status: unknown; status !== 'completed'; await sleep(50)) {
        ({ status } = (await answered(() => later.get<{ status: string }>(`/agent-runs/${asked.runId}`))).body);
        expect(performance.now()).toBeLessThan(deadline);
      }
    }
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [] };
    expect({ ...auditJournal(await openedEvents(deployment.databaseUrl, events), [], []), left }).toEqual(nothing);
  });

  async function abandonedIsGivenBack(): Promise<void> {
    const client = await deployment.newUser();
    const { length: killedBefore } = await orders.carriedOut();
    const broken: Broken[] = [];
    for (const death of deaths) broken.push(await breakStart(client, death));
    expect((await orders.carriedOut()).length - killedBefore).toBe(deaths.length);
    expect(await heldSlots()).toBe(1);
    // Reserved both in the day and in the month, by the two that died after the reservation.
    expect(await reservedCents(client)).toBe(2 * 2 * 25);
    const deadline = performance.now() + GIVEN_BACK_WITHIN_MS;
    while ((await reservedCents(client)) > 0 || (await heldSlots()) > 0) {
      expect(performance.now()).toBeLessThan(deadline);
      await sleep(500);
    }
    for (const { runId } of broken) expect((await client.get(`/agent-runs/${runId}`)).status).toBe(404);
  }

  if (process.env['FIGURES'] === 'full') {
    test('what an abandoned admission holds is given back within a minute', abandonedIsGivenBack, 180_000);
  }
});
