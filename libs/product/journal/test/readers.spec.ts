import { setTimeout as sleep } from 'node:timers/promises';
import { Draining } from '@app/http';
import type { ConversationId, UserId } from '@app/kernel';
import { ConversationHubs } from '../src/conversation-hubs';
import { OpenStreams } from '../src/open-streams';
import {
  type JournalApp,
  newConversationId,
  startJournalApp,
  startStores,
  StreamClient,
  type TestStores,
} from '@app/testing/journal';
import { until } from '@app/testing/until';

let stores: TestStores;
let api: JournalApp;
let ada: { userId: UserId; headers: Record<string, string> };
beforeAll(async () => {
  stores = await startStores();
  api = await startJournalApp(stores, { STREAMS_PER_USER: '500' });
  ada = await api.user('ada');
});
afterAll(async () => {
  await api.stop();
  await stores.stop();
});

const open = (id: ConversationId, headers: Record<string, string> = {}) =>
  StreamClient.open(api.port, `/v1/users/${ada.userId}/conversations/${id}/stream`, { ...ada.headers, ...headers });

const socketRows = async () => (await stores.database.query('SELECT 1 FROM stream_sockets')).length;

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(20)) if (await condition()) return;
  throw new Error('waited two minutes for nothing');
}

describe('readers', () => {
  it('that cannot keep up are cut, and lose nothing when they come back, while others are not held up', async () => {
    const id = newConversationId();
    await stores.append(id, ada.userId, 1);
    const [slow, quick] = [await open(id), await open(id)];
    await Promise.all([slow, quick].map((client) => client.until(({ seqs }) => seqs.length === 2)));
    slow.response.pause();
    const big = 'x'.repeat(400_000);
    for (let count = 0; count < 40; count += 1) await stores.append(id, ada.userId, 1, big);
    await quick.until(({ seqs }) => seqs.at(-1) === 42);
    await eventually(async () => (await socketRows()) === 1);
    slow.response.resume();
    await slow.until(({ ended }) => ended !== 'no');
    const got = slow.seqs;
    expect(got.length).toBeLessThan(42);
    // A busy machine may be too slow to keep up once more.
    while (got.at(-1) !== 42) {
      const again = await open(id, { 'last-event-id': String(got.at(-1) ?? 0) });
      await again.until(({ seqs, ended }) => seqs.at(-1) === 42 || ended !== 'no');
      got.push(...again.seqs);
      again.close();
    }
    expect(got).toEqual(quick.seqs);
    quick.close();
  });

  it('that come back at random, again and again, see the whole journal once and in order', async () => {
    const id = newConversationId();
    await stores.append(id, ada.userId, 1);
    let head = 2;
    let writing = true;
    const writer = (async () => {
      for (; writing; await sleep(5)) head = (await stores.append(id, ada.userId, 3)) + 1;
    })();
    const union: number[] = [];
    for (let connection = 0; connection < 40; connection += 1) {
      const client = await open(id, union.length === 0 ? {} : { 'last-event-id': String(union.at(-1)) });
      const wanted = 1 + Math.floor(Math.random() * 12);
      await client.until(({ seqs }) => seqs.length >= wanted);
      union.push(...client.seqs);
      client.close();
    }
    writing = false;
    await writer;
    const last = await open(id, { 'last-event-id': String(union.at(-1)) });
    if (union.at(-1) !== head) await last.until(({ seqs }) => seqs.at(-1) === head);
    union.push(...last.seqs);
    last.close();
    expect(union).toEqual(Array.from({ length: head }, (_, index) => index + 1));
  });

  it('keep their streams while the event store is away', async () => {
    const id = newConversationId();
    await stores.append(id, ada.userId, 1);
    const client = await open(id);
    await client.until(({ seqs }) => seqs.length === 2);
    const away = stores.restartStore(700);
    await sleep(300);
    const late = await open(newConversationId());
    expect(late.response.statusCode).toBe(503);
    await away;
    await stores.append(id, ada.userId, 5);
    await client.until(({ seqs }) => seqs.length === 7);
    expect(client.seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
    client.close();
  });

  it('that leave at any moment leave nothing behind', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const id = newConversationId();
        await stores.append(id, ada.userId, 30);
        return id;
      }),
    );
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        ids.flatMap((id) =>
          [0, 1, 2, 3].map(async (turn) => {
            const client = await open(id).catch(() => null);
            await sleep(turn * 3);
            client?.close();
          }),
        ),
      );
    }
    await eventually(async () => (await socketRows()) === 0);
    await eventually(() => api.get(ConversationHubs).open === 0);
  });
});

describe('conversations.stream', () => {
  it('ends streams when draining begins, so that clients move on', async () => {
    const second = await startJournalApp(stores);
    const { path, headers } = await conversationOf(second, 'bob');
    const client = await StreamClient.open(second.port, path, headers);
    await client.until(({ seqs }) => seqs.length === 3);
    await second.get(Draining).drain(5_000);
    await client.until(({ ended }) => ended !== 'no');
    expect(client.ended).toBe('cleanly');
    await second.stop();
  });

  it('ends a stream when its token has expired, or its account was disabled', async () => {
    const [expiring, disabled, kept] = await Promise.all([openFor('carol', 3), openFor('dave'), openFor('erin')]);
    const checked = () => api.get(OpenStreams).check();
    await checked();
    await sleep(3_100);
    api.accounts.states.set(disabled.userId, { disabled: true });
    // A heartbeat may already have checked the expired one.
    expect([disabled, kept].map(({ client }) => client.ended)).toEqual(['no', 'no']);
    await checked();
    for (const { client } of [expiring, disabled]) await client.until(({ ended }) => ended === 'cleanly');
    expect(kept.client.ended).toBe('no');
    kept.client.close();
  });
});

describe('a partner key that is revoked', () => {
  it('ends the streams that were opened with it, and no other', async () => {
    const key = `pk_${'r'.repeat(43)}`;
    api.keys.add(key);
    const [revoked, kept] = await Promise.all([openFor('frank', 3600, key), openFor('grace')]);
    await api.get(OpenStreams).check();
    api.keys.revoke(key);
    expect([revoked, kept].map(({ client }) => client.ended)).toEqual(['no', 'no']);
    await api.get(OpenStreams).check();
    await revoked.client.until(({ ended }) => ended === 'cleanly');
    expect(kept.client.ended).toBe('no');
    kept.client.close();
  });

  it('ends them by itself', async () => {
    const key = `pk_${'s'.repeat(43)}`;
    api.keys.add(key);
    const { client } = await openFor('heidi', 3600, key);
    api.keys.revoke(key);
    await until('the end of the stream', async () => client.ended === 'cleanly' || null, 60_000);
  });
});

async function openFor(subject: string, expiresInSeconds?: number, key?: string) {
  const { path, headers, userId } = await conversationOf(api, subject, expiresInSeconds, key);
  return { client: await StreamClient.open(api.port, path, headers), userId };
}

async function conversationOf(app: JournalApp, subject: string, expiresInSeconds?: number, key?: string) {
  const { userId, headers } = await app.user(subject, expiresInSeconds, key);
  const id = newConversationId();
  await stores.append(id, userId, 2);
  return { path: `/v1/users/${userId}/conversations/${id}/stream`, headers, userId };
}
