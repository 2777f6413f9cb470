/**
 * Issue 4, item 6: the worker is killed at every point of steps with parallel tools on a streaming model; no text and
 * no call is duplicated.
 */
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent } from '@app/event-store';
import type { ProbePoint } from '@app/runtime';
import { newOwner, prompt, providerFault } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { LoopbackModels } from '@app/testing/models';
import type { Deployment } from '@app/testing/deployment';
import { expectedTold, scriptedSteps, toldIn, transferByRun } from './engine-journey';
import { auditJournal, settled, openedEvents } from '@app/testing/audits';
import { untilGoneOnce } from './gone-once';
import type { KillOrders } from './kill-orders';
import { killInTurn } from './kill-rounds';
import { startKillable, type Killable } from './killable';
import { layoutsTried, PatientClient, spread } from './layouts';

const full = process.env['FIGURES'] === 'full';
/** Each kill costs the remainder of a lease, some ten seconds; with FIGURES=full, runs of several users share it. */
const USERS = full ? 3 : 1;
const ROUNDS = Number(process.env['ENGINE_KILL_ROUNDS'] ?? (full ? Infinity : 2));
const TIMEOUT_MS = full ? 3_600_000 : 300_000;
const points: readonly ProbePoint[] = [
  'model:before' as const,
  'model:after' as const,
  'tool:before' as const,
  'tool:after' as const,
  'append:before' as const,
  'append:after' as const,
  'provider:before' as const,
  'provider:after' as const,
];

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let models: LoopbackModels;
  let deployment: Deployment;
  beforeAll(async () => {
    models = await LoopbackModels.start('openai-compatible');
    models.says(scriptedSteps);
    const env = { ...models.environment(), BUDGET_DAY_CENTS: '1000000', BUDGET_MONTH_CENTS: '1000000' };
    killable = await startKillable({ ...spread(layout, 'worker'), env });
    ({ deployment, orders } = killable);
    await providerFault(deployment, prompt);
  });
  afterAll(async () => {
    await killable.stop();
    await models.close();
  });

  /** One transfer for each of the users, in parallel. */
  async function transfers(users: readonly TestClient[]): Promise<void> {
    await Promise.all(
      users.map(async (owner, turn) => {
        const user = PatientClient.of(deployment, owner, turn);
        await transferByRun(user);
        await untilGoneOnce(user, '248500000');
      }),
    );
  }

  test(
    'nothing is said or done twice, and every run ends once',
    async () => {
      await killInTurn({ orders, victims: deployment.workers, points, roundsMax: ROUNDS, full }, async () => {
        const users = await Promise.all(Array.from({ length: USERS }, () => newOwner(deployment)));
        return () => transfers(users);
      });
      const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
      const opened = await openedEvents(deployment.databaseUrl, events);
      const ofConversations = opened.filter(({ stream }) => stream.startsWith(`${conversationKind.category}-`));
      const streams = [...new Set(ofConversations.map(({ stream }) => stream))];
      const told = streams.map((of) => {
        const own = ofConversations.filter(({ stream }) => stream === of);
        return toldIn(own.map((stored) => decodeEvent<ConversationEvent>(conversationKind, stored).event));
      });
      const kills = await orders.carriedOut();
      const unlike = told.filter((one) => one.join() !== expectedTold.join());
      process.stdout.write(
        `engine kills, roles ${layout}: ${USERS} users at once (3 with FIGURES=full), ${kills.length} at ${[...new Set(kills)].join(', ')}; ${streams.length} runs, ` +
          `${models.requests.length} model steps, ${unlike.length} that said or did something twice\n`,
      );
      expect(unlike).toEqual([]);
      const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [] };
      expect({ ...auditJournal(opened, [], []), left }).toEqual(nothing);
      // A busy worker commits fewer, larger batches, so not every order is reached; without any, nothing was tried.
      expect(kills.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
