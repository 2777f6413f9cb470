/** `parley.feed` on the real service, through a proxy that cuts every connection. */
import { ParleyClient, type FeedFrame } from '@parley/client';
import { EventStore } from '@app/event-store';
import { keysIn } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, say, partnerFeedOf } from '@app/testing/journeys';
import { CuttingProxy } from '@app/testing/proxies';
import { patience } from './clients';

const cutsWanted = process.env['FIGURES'] === 'full' ? 1_000 : 40;
const usersCount = 3;
const runsOfEach = 6;
const withinMs = 600_000;

let deployment: Deployment;
let store: EventStore;
let keys: Awaited<ReturnType<typeof keysIn>>;
let proxy: CuttingProxy;
let parley: ParleyClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  keys = await keysIn(deployment.databaseUrl);
  store = EventStore.connect(deployment.eventStoreUrl, undefined, keys.ring);
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  proxy = await CuttingProxy.start(deployment.baseUrls[0] ?? '', { seed: 7, downBytesMax: 3_000 });
  parley = new ParleyClient({ baseUrl: proxy.baseUrl, partnerKey: deployment.partnerKey, retry: patience });
});
afterAll(async () => {
  await proxy.stop();
  await store.dispose();
  await keys.close();
  await deployment.stop();
});

/** The next `count` frames after a cursor. */
async function followed(count: number, after?: string): Promise<FeedFrame[]> {
  const frames: FeedFrame[] = [];
  for await (const frame of parley.feed.stream({ after })) {
    frames.push(frame);
    if (frames.length === count) break;
  }
  return frames;
}

const eventsOf = (frames: readonly FeedFrame[]) => frames.map(({ event }) => event);

it(
  'the feed comes once and in the order of the store, live, from any cursor, and in pages',
  async () => {
    const wanted = usersCount * runsOfEach;
    const live = followed(wanted);
    const users = await Promise.all(Array.from({ length: usersCount }, () => deployment.newUser()));
    await Promise.all(
      users.map(async (user) => {
        const conversation = await conversationOf(user);
        for (let run = 0; run < runsOfEach; run += 1) await say(user, conversation);
      }),
    );
    const told = await partnerFeedOf(store);
    expect(told).toHaveLength(wanted);
    const frames = await live;
    expect(eventsOf(frames)).toEqual(told);

    let passes = 1;
    for (; proxy.total < cutsWanted; passes += 1) {
      // Resumes as a restarted process does: at the cursor of the last frame that it stored.
      const kept = passes % wanted;
      const rest = await followed(wanted - kept, kept === 0 ? undefined : frames[kept - 1]?.cursor);
      expect(eventsOf(rest)).toEqual(told.slice(kept));
    }
    const listed = [];
    for await (const event of parley.feed.list({ limit: 5 })) listed.push(event);
    expect(listed).toEqual(told);
    process.stdout.write(
      `client feed.stream(): ${wanted} events, ${passes} passes, ${proxy.total} cuts (1,000 with FIGURES=full): no gap, no duplicate\n`,
    );
  },
  withinMs,
);
