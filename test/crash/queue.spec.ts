/** Workers are killed while inputs wait: each starts once, in order, and none is lost. */
import { randomUUID } from 'node:crypto';
import type { ProbePoint } from '@app/runtime';
import { answered, conversationOf, journal } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { LoopbackModels } from '@app/testing/models';
import { until } from '@app/testing/until';
import type { KillOrders } from './kill-orders';
import { killInTurn } from './kill-rounds';
import { startKillable, type Killable } from './killable';
import { layoutsTried, PatientClient, spread } from './layouts';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['QUEUE_KILL_ROUNDS'] ?? (full ? Infinity : 2));
const TIMEOUT_MS = full ? 3_600_000 : 300_000;
const endedWithinMs = 180_000;
const points: readonly ProbePoint[] = ['model:before', 'model:after', 'append:before', 'append:after'];

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let models: LoopbackModels;
  beforeAll(async () => {
    models = await LoopbackModels.start('openai-compatible');
    models.says(() => ({ text: ['I ', 'heard ', 'you.'], pauseMs: 10 }));
    const env = { ...models.environment(), BUDGET_DAY_CENTS: '1000000', BUDGET_MONTH_CENTS: '1000000' };
    killable = await startKillable({ ...spread(layout, 'worker'), env });
    ({ orders } = killable);
  });
  afterAll(async () => {
    await killable.stop();
    await models.close();
  });

  /** Asks four times at once, and waits until nothing is open any more. Returns what was asked, and the journal. */
  async function asksInTurn(user: TestClient, conversationId: string) {
    const asked = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const runId of asked) {
      const body = { conversationId, runId, input: { text: runId }, whenBusy: 'queue' };
      expect((await answered(() => user.post('/agent-runs', body))).status).toBe(202);
    }
    const last = asked.at(-1);
    await until(
      'the end of the last run',
      async () => {
        const { body } = await answered(() => user.get(`/agent-runs/${last}`), { orStatus: 404 });
        return ['completed', 'failed'].includes(String(body['status'])) ? body : null;
      },
      endedWithinMs,
    );
    return { asked, events: (await journal(user, conversationId)).map(({ payload }) => payload) };
  }

  test(
    'each input starts once, in order, and is answered once',
    async () => {
      const { deployment } = killable;
      let rounds = 0;
      await killInTurn({ orders, victims: deployment.workers, points, roundsMax: ROUNDS, full }, async () => {
        const owner = await deployment.newUser();
        const conversationId = await conversationOf(owner);
        return async () => {
          rounds += 1;
          const { asked, events } = await asksInTurn(PatientClient.of(deployment, owner, rounds), conversationId);
          const idsOf = (type: string) => events.flatMap((one) => (one.type === type ? [one['runId']] : []));
          expect({ started: idsOf('run.started'), said: idsOf('agent.message'), ended: idsOf('run.ended') }).toEqual({
            started: asked,
            said: asked,
            ended: asked,
          });
        };
      });
      const kills = await orders.carriedOut();
      process.stdout.write(`queue kills, roles ${layout}: ${kills.length} at ${[...new Set(kills)].join(', ')}\n`);
      expect(kills.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
