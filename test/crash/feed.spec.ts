/**
 * The feed delivers each event exactly once and in the order of the store, while users write, replicas of the api are
 * killed, streams are cut after any number of bytes and resumed by `Last-Event-ID`, and pages of any size are read.
 */
import { randomInt } from 'node:crypto';
import { EventStore } from '@app/event-store';
import { keysIn } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';
import { FeedFollower, requestJson, type TestClient, type ToldEvent } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { partnerFeedOf } from '@app/testing/journeys';
import { until } from '@app/testing/until';

const full = process.env['FIGURES'] === 'full';
/** The least number of cut streams and killed replicas while runs are started. */
const cutsMin = Number(process.env['FEED_CUTS'] ?? (full ? 200 : 60));
const killsMin = Number(process.env['FEED_KILLS'] ?? (full ? 12 : 3));
const followersCount = 6;
const writersCount = 4;
const withinMs = full ? 500_000 : 240_000;

let deployment: Deployment;
let store: EventStore;
let keys: Awaited<ReturnType<typeof keysIn>>;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2 } });
  keys = await keysIn(deployment.databaseUrl);
  store = EventStore.connect(deployment.eventStoreUrl, undefined, keys.ring);
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(async () => {
  await store.dispose();
  await keys.close();
  await deployment.stop();
});

const urlOf = (replica: number) => deployment.baseUrls[replica % deployment.baseUrls.length] ?? '';
const byChance = () => urlOf(randomInt(deployment.baseUrls.length));

/**
 * Writes as a user until stopped. Requests that a killed replica leaves unanswered are dropped. Returns the accepted
 * runs.
 */
async function write(user: TestClient, signal: AbortSignal): Promise<number> {
  let runs = 0;
  while (!signal.aborted) {
    const via = user.via(byChance());
    try {
      const made = await via.post<{ id: string }>('/conversations', {});
      const input = { text: 'repeat after me: done' };
      const started = await via.post('/agent-runs', { conversationId: made.body.id, input });
      runs += Number(started.status === 202);
    } catch {
      // The replica is down: the next attempt uses the other one, or the same again.
    }
  }
  return runs;
}

/** Reads pages of any size from any replica, from the cursor (by default the beginning) to the end at that time. */
async function readPages(cursor?: string): Promise<{ events: ToldEvent[]; pages: number; endCursor: string }> {
  const events: ToldEvent[] = [];
  let endCursor = cursor;
  for (let pages = 1; ; pages += 1) {
    const path = `/feed/v1/events?limit=${randomInt(1, 60)}${endCursor === undefined ? '' : `&cursor=${endCursor}`}`;
    const headers = { 'x-api-key': deployment.partnerKey };
    const page = await until('a page', async () => {
      try {
        const { status, body } = await requestJson<Page>('GET', `${byChance()}${path}`, undefined, headers);
        return status === 200 ? body : null;
      } catch {
        return null; // the replica is down
      }
    });
    events.push(...page.data);
    endCursor = page.endCursor;
    if (page.nextCursor === null) return { events, pages, endCursor };
  }
}

async function haveRunsEnded(): Promise<true | null> {
  const types = (await readAllEvents(deployment.eventStoreUrl)).map(({ type }) => type);
  const count = (wanted: string) => types.filter((type) => type === wanted).length;
  return count('run.started') === count('run.ended') ? true : null;
}

interface Page {
  readonly data: readonly ToldEvent[];
  readonly nextCursor: string | null;
  readonly endCursor: string;
}

const texts = (events: readonly ToldEvent[]) => events.map((event) => JSON.stringify(event));

it(
  'each event comes once and in order, whatever dies and breaks off',
  async () => {
    let replica = 0;
    const followers = Array.from(
      { length: followersCount },
      () =>
        new FeedFollower(
          () => urlOf((replica += 1)),
          deployment.partnerKey,
          () => randomInt(1, 20_000),
        ),
    );
    const uncut = new FeedFollower(() => urlOf((replica += 1)), deployment.partnerKey);
    const stopping = new AbortController();
    const users = await Promise.all(Array.from({ length: writersCount }, () => deployment.newUser()));
    const writers = users.map((user) => write(user, stopping.signal));
    const cuts = () => followers.reduce((sum, { connections }) => sum + connections - 1, 0);

    let [kills, pages] = [0, 0];
    const paged: ToldEvent[] = [];
    let cursor: string | undefined;
    for (; kills < killsMin || cuts() < cutsMin; kills += 1) {
      const read = await readPages(cursor);
      paged.push(...read.events);
      [pages, cursor] = [pages + read.pages, read.endCursor];
      await deployment.apis[kills % 2]?.restart();
    }
    stopping.abort();
    const runs = (await Promise.all(writers)).reduce((sum, count) => sum + count, 0);
    // Runs that began end by themselves, also those whose writer got no answer. After that nothing more is published.
    await until('the end of all runs', haveRunsEnded);
    const wanted = texts(await partnerFeedOf(store));
    expect(wanted.length).toBeGreaterThanOrEqual(runs);

    paged.push(...(await readPages(cursor)).events);
    expect(texts(paged)).toEqual(wanted);
    expect(texts((await readPages()).events)).toEqual(wanted);
    for (const follower of [...followers, uncut]) {
      await until('the whole feed', async () => (follower.seen.length >= wanted.length ? true : null));
      expect(texts(follower.seen)).toEqual(wanted);
    }
    await Promise.all([...followers, uncut].map((follower) => follower.close()));
    console.info(
      `the feed: ${wanted.length} events, ${cuts()} cuts (200 with FIGURES=full), ${kills} kills of an api (12), ${pages} pages while they were written`,
    );
  },
  withinMs,
);
