import type { DurableFrame, JournalFrame } from '@parley/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversationOf, journal, say } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { clientOf, patience } from './clients';
import { CuttingProxy } from '@app/testing/proxies';

const cutsWanted = process.env['FIGURES'] === 'full' ? 1_000 : 30;
const runs = 6;
const withinMs = 600_000;

let deployment: Deployment;
let user: TestClient;
let proxy: CuttingProxy;
beforeAll(async () => {
  // A connection that the proxy cut counts until the service notices its end.
  deployment = await startDeployment({ mode: 'in-process', env: { STREAMS_PER_USER: '1000' } });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 20 } });
  user = await deployment.newUser();
  proxy = await CuttingProxy.start(deployment.baseUrls[0] ?? '', { seed: 6, downBytesMax: 3_000 });
});
afterAll(async () => {
  await proxy.stop();
  await deployment.stop();
});

/** All frames of a conversation's stream up to the one that `until` accepts, through the cutting proxy. */
async function follow(
  conversationId: string,
  until: (frame: DurableFrame) => boolean,
  pauseMs = 0,
): Promise<JournalFrame[]> {
  const frames: JournalFrame[] = [];
  const client = clientOf(user, proxy.baseUrl, patience);
  for await (const frame of client.stream({ userId: user.userId, conversationId })) {
    frames.push(frame);
    if (frame.delivery === 'durable' && until(frame)) break;
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return frames;
}

const durable = (frames: readonly JournalFrame[]) => frames.filter((frame) => frame.delivery === 'durable');

describe('stream(), through a proxy that cuts every connection', () => {
  it(
    'gives the journal to the letter: in order, no gap, nothing twice',
    async () => {
      const conversationId = await conversationOf(user);
      let ended = 0;
      const live = follow(conversationId, ({ payload }) => payload.type === 'run.ended' && ++ended === runs);
      for (let run = 0; run < runs; run += 1) await say(user, conversationId, `repeat after me: this is run ${run}`);
      const frames = await live;
      const recorded = await journal(user, conversationId);
      expect(durable(frames)).toEqual(recorded);
      expect(frames.some(({ delivery }) => delivery === 'live')).toBe(true);

      const last = recorded.at(-1)?.seq;
      let passes = 1;
      for (; proxy.total < cutsWanted; passes += 1) {
        expect(durable(await follow(conversationId, ({ seq }) => seq === last))).toEqual(recorded);
      }
      const { connections, up, beforeAnswer, inAnswer } = proxy.cuts;
      process.stdout.write(
        `client stream(): ${recorded.length} events read ${passes} times over ${connections} connections and ${proxy.total} cuts ` +
          `(${up} on the way there, ${beforeAnswer} before the answer, ${inAnswer} in it): no gap, no duplicate\n`,
      );
      expect(proxy.total).toBeGreaterThanOrEqual(cutsWanted);
    },
    withinMs,
  );

  it(
    'holds up for a slow reader, who misses nothing',
    async () => {
      const conversationId = await conversationOf(user);
      await say(user, conversationId, 'repeat after me: slowly');
      const recorded = await journal(user, conversationId);
      const last = recorded.at(-1)?.seq;
      expect(durable(await follow(conversationId, ({ seq }) => seq === last, 100))).toEqual(recorded);
    },
    withinMs,
  );
});
