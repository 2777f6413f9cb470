/** The feed over HTTP, compared with the store's own order of all events. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandBus } from '@nestjs/cqrs';
import { encodeEvent, EventStore } from '@app/event-store';
import { Draining } from '@app/http';
import { asId, causeOfService, type Instant } from '@app/kernel';
import { MintPartnerKey, RevokePartnerKey } from '@app/partners';
import { Database } from '@app/read-store';
import { keysIn } from '@app/testing/audits';
import { FeedFollower, requestJson, type TestClient, type ToldEvent } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { atRest, conversationOf, expectProblem, partOf, say, start, partnerFeedOf } from '@app/testing/journeys';
import { until } from '@app/testing/until';

interface Page {
  readonly data: readonly ToldEvent[];
  readonly nextCursor: string | null;
  readonly endCursor: string;
}

let deployment: Deployment;
let store: EventStore;
let keys: Awaited<ReturnType<typeof keysIn>>;
let user: TestClient;
let baseUrl: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  keys = await keysIn(deployment.databaseUrl);
  store = EventStore.connect(deployment.eventStoreUrl, undefined, keys.ring);
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
  baseUrl = deployment.baseUrls[0] ?? '';
  const conversations = await Promise.all([1, 2, 3].map(() => conversationOf(user)));
  for (const conversation of conversations) for (let run = 0; run < 4; run += 1) await say(user, conversation);
});
afterAll(async () => {
  await store.dispose();
  await keys.close();
  await deployment.stop();
});

/** Waits until the condition holds. */
const so = (what: string, isSo: () => boolean, withinMs?: number) =>
  until(what, async () => (isSo() ? true : null), withinMs);
const cause = causeOfService('test', randomUUID());
const key = (value = deployment.partnerKey) => ({ 'x-api-key': value });
const feed = (query = '', headers: Record<string, string> = key()) =>
  requestJson<Page>('GET', `${baseUrl}/feed/v1/events${query}`, undefined, headers);
const stream = (headers: Record<string, string>, query = '') => fetch(`${baseUrl}/feed/v1/stream${query}`, { headers });

async function mint(label: string, hasFeed?: boolean) {
  const commands = partOf(deployment, CommandBus);
  const minted = await commands.execute(new MintPartnerKey({ label, cause, ...(hasFeed && { feed: true }) }));
  if (!minted.ok) throw new Error(JSON.stringify(minted.refusal));
  return minted.value;
}

/** The whole feed, in pages of random sizes. */
async function paged(cursor?: string): Promise<ToldEvent[]> {
  const all: ToldEvent[] = [];
  for (let next: string | null | undefined = cursor; next !== null;) {
    const limit = randomInt(1, 8);
    const { status, body } = await feed(`?limit=${limit}${next === undefined ? '' : `&cursor=${next}`}`);
    expect([status, body.data.length <= limit]).toEqual([200, true]);
    all.push(...body.data);
    next = body.nextCursor;
  }
  return all;
}

describe('a page of the feed', () => {
  it('has each event once, in the order of the store, whatever the pages’ sizes', async () => {
    const wanted = await partnerFeedOf(store);
    expect(wanted.length).toBeGreaterThanOrEqual(12);
    expect(await paged()).toEqual(wanted);
    const { body } = await feed('?limit=500');
    expect([body.data, body.nextCursor]).toEqual([wanted, null]);
    expect(body.data[0]).toEqual({
      id: expect.any(String) as string,
      type: 'run.ended',
      timestamp: expect.any(String) as string,
      data: expect.objectContaining({ userId: user.userId, status: 'completed' }) as object,
    });
  });

  it('goes on from its end, and begins at the end with `now`', async () => {
    const [{ body: atEnd }, { body: fromNow }] = [await feed('?limit=500'), await feed('?cursor=now')];
    expect([fromNow.data, fromNow.nextCursor]).toEqual([[], null]);
    await say(user, await conversationOf(user));
    for (const { endCursor } of [atEnd, fromNow])
      expect((await feed(`?cursor=${endCursor}`)).body.data.map(({ type }) => type)).toEqual(['run.ended']);
  });

  it('looks through so much only, and can be empty and yet go on', async () => {
    const { body: before } = await feed('?cursor=now');
    const noise = (event: number) => ({ type: 'noise', at: asId<Instant>('2026-03-01T10:00:00.000Z'), event });
    for (let batch = 0; batch < 6; batch += 1) {
      const events = Array.from({ length: 1_000 }, (_, index) =>
        encodeEvent({ category: 'noise' }, noise(index), cause),
      );
      await store.append(`noise-${batch}`, events, -1);
    }
    await say(user, await conversationOf(user));
    const { body: empty } = await feed(`?cursor=${before.endCursor}`);
    expect(empty.data).toEqual([]);
    expect(empty.nextCursor).toBe(empty.endCursor);
    expect((await paged(empty.endCursor)).map(({ type }) => type)).toEqual(['run.ended']);
    // A stream reaches the event as well.
    const follower = new FeedFollower(() => baseUrl, deployment.partnerKey, undefined, before.endCursor);
    await so('the event', () => follower.seen.length === 1);
    await follower.close();
  }, 120_000);

  it('takes no cursor but its own', async () => {
    const conversation = await conversationOf(user);
    const other = await user.get<Page>(`/conversations/${conversation}/events`);
    const { body } = await feed();
    const altered = `${body.endCursor.slice(0, -1)}${body.endCursor.endsWith('A') ? 'B' : 'A'}`;
    for (const cursor of [other.body.endCursor, altered, '0', 'x'.repeat(300)]) {
      const refused = await feed(`?cursor=${cursor}`);
      expectProblem(refused, 'invalid_cursor');
      const opened = await stream(key(), `?cursor=${cursor}`);
      expect([opened.status, ((await opened.json()) as { reason: string }).reason]).toEqual([400, 'invalid_cursor']);
    }
    for (const limit of ['0', '501', 'x'])
      expectProblem(await feed(`?limit=${limit}`), 'invalid_input', { at: ['/limit'] });
    expectProblem(await feed('?what=1'), 'invalid_input');
  });
});

describe('the feed is for', () => {
  it('a partner key that was minted for it, of whom no user is asked', async () => {
    const [without, withFeed] = [await mint('without'), await mint('with', true)];
    for (const path of ['/feed/v1/events', '/feed/v1/stream'])
      for (const headers of [key(without.key), { ...user.headers, ...key(without.key) }])
        expectProblem(await requestJson('GET', `${baseUrl}${path}`, undefined, headers), 'permission_required');
    expectProblem(await feed('', {}), 'partner_key_required');
    expectProblem(await feed('', key(`pk_${'x'.repeat(43)}`)), 'partner_key_invalid');
    const answer = await feed('?cursor=now', key(withFeed.key));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=1000000;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"key";r=\d+;t=\d+$/);
    // A token, even an invalid one, is ignored; a cursor continues with another key.
    const more = await feed(`?cursor=${answer.body.endCursor}`, { ...key(), authorization: 'Bearer nonsense' });
    expect([more.status, more.body.data]).toEqual([200, []]);
    expectProblem(await feed('', { ...key(), origin: 'https://elsewhere.example' }), 'origin_rejected');
  });

  it('nobody where nothing is', async () => {
    const ask = (method: string, path: string, headers = key()) =>
      requestJson(method, `${baseUrl}${path}`, undefined, headers);
    expectProblem(await ask('GET', '/feed/v1/nothing'), 'not_found');
    expectProblem(await ask('POST', '/feed/v1/events'), 'method_not_allowed');
    expectProblem(await ask('GET', '/feed/v1/nothing', {} as never), 'partner_key_required');
  });
});

describe('a stream of the feed', () => {
  it('tells what happens to all users, while it happens', async () => {
    const { body } = await feed('?cursor=now');
    const follower = new FeedFollower(() => baseUrl, deployment.partnerKey, undefined, body.endCursor);
    await so('a connection', () => follower.status === 200);
    const users = await Promise.all([1, 2, 3].map(() => deployment.newUser()));
    await Promise.all(users.map(async (one) => say(one, await conversationOf(one))));
    await so('three events', () => follower.seen.length === 3);
    expect(follower.seen).toEqual((await partnerFeedOf(store)).slice(-3));
    expect(new Set(follower.seen.map(({ data }) => data['userId']))).toEqual(new Set(users.map((one) => one.userId)));
    await follower.close();
  });

  it('begins with where it is, so that one who is cut before anything happens misses nothing', async () => {
    const abort = new AbortController();
    const opened = await fetch(`${baseUrl}/feed/v1/stream?cursor=now`, { headers: key(), signal: abort.signal });
    expect(opened.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = opened.body!.getReader();
    let text = '';
    while (!text.includes('id: ')) text += Buffer.from((await reader.read()).value ?? []).toString();
    expect(text).toMatch(/^retry: 2000\n\nid: \S+\n\n$/);
    abort.abort();
    await say(user, await conversationOf(user));
    const cursor = text.split('id: ')[1]?.trim();
    expect((await feed(`?cursor=${cursor}`)).body.data).toHaveLength(1);
  });

  it('is one of eight of its key, and ends within 30 s when the key is revoked', async () => {
    const { key: own, keyId } = await mint('eight', true);
    const followers = Array.from({ length: 8 }, () => new FeedFollower(() => baseUrl, own));
    await so('eight streams', () => followers.every(({ status }) => status === 200));
    const ninth = await stream(key(own));
    expect([ninth.status, ninth.headers.get('retry-after')]).toEqual([429, '5']);
    expect(((await ninth.json()) as { reason: string }).reason).toBe('stream_capacity');
    // Another key has its own eight.
    const other = new FeedFollower(() => baseUrl, deployment.partnerKey);
    await so('another stream', () => other.status === 200);
    await partOf(deployment, CommandBus).execute(new RevokePartnerKey({ keyId, cause }));
    const revokedAtMs = performance.now();
    await so('their end', () => followers.every(({ status }) => status === 401), 60_000);
    expect(performance.now() - revokedAtMs).toBeLessThan(40_000);
    expect([other.status, other.connections]).toEqual([200, 1]);
    await Promise.all([...followers, other].map((follower) => follower.close()));
  }, 90_000);

  it('is answered to HEAD with its head alone', async () => {
    const head = await fetch(`${baseUrl}/feed/v1/stream`, { method: 'HEAD', headers: key() });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});

it('the feed goes on while no read model does', async () => {
  const follower = new FeedFollower(() => baseUrl, deployment.partnerKey);
  const conversation = await conversationOf(user);
  const before = await partnerFeedOf(store);
  await so('what there was', () => follower.seen.length === before.length);
  // All projected tables become unusable.
  const database = partOf(deployment, Database);
  const tables = ['runs', 'conversations', 'messages', 'approvals'];
  const renamed = (from: string, to: string) =>
    Promise.all(tables.map((table) => database.query(`ALTER TABLE ${table}${from} RENAME TO ${table}${to}`)));
  const started = await start(user, conversation);
  expect(started.status).toBe(202);
  await renamed('', '_away');
  try {
    await sleep(500);
    const wanted = await partnerFeedOf(store);
    expect(await paged()).toEqual(wanted);
    await so('all of it', () => follower.seen.length === wanted.length);
    expect(follower.seen).toEqual(wanted);
  } finally {
    await renamed('_away', '');
    await follower.close();
  }
  await atRest(deployment);
});

// The last test, because nothing is served after it.
it('a stream ends when its replica drains', async () => {
  const opened = await stream(key());
  const ended = opened.text();
  void partOf(deployment, Draining).drain(10_000, 0);
  expect(await ended).toContain('retry: 2000');
  expect((await stream(key())).status).toBe(503);
});
