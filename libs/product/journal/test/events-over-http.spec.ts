import { setTimeout as sleep } from 'node:timers/promises';
import { conversationKind } from '@app/conversations';
import { encodeEvent } from '@app/event-store';
import {
  asId,
  instantOf,
  type ConversationId,
  type MessageId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { ConversationHubs } from '../src/conversation-hubs';
import {
  causeOf,
  type JournalApp,
  message,
  newConversationId,
  newUserId,
  startJournalApp,
  startStores,
  StreamClient,
  type TestStores,
} from '@app/testing/journal';

let stores: TestStores;
let api: JournalApp;
let ada: { userId: UserId; headers: Record<string, string> };
beforeAll(async () => {
  stores = await startStores();
  api = await startJournalApp(stores);
  ada = await api.user('ada');
});
afterAll(async () => {
  await api.stop();
  await stores.stop();
});

const pathOf = (id: ConversationId, rest: string) => `/v1/users/${ada.userId}/conversations/${id}/${rest}`;

async function list(id: ConversationId, query = '') {
  const response = await fetch(`http://127.0.0.1:${api.port}${pathOf(id, 'events')}${query}`, { headers: ada.headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function stream(id: ConversationId, query = '', headers: Record<string, string> = {}) {
  return StreamClient.open(api.port, pathOf(id, 'stream') + query, { ...ada.headers, ...headers });
}

async function conversation(messages: number, owner = ada.userId): Promise<ConversationId> {
  const id = newConversationId();
  await stores.append(id, owner, messages);
  return id;
}

describe('events.list', () => {
  it('pages through the whole journal, oldest first, and ends with null', async () => {
    const id = await conversation(10);
    const first = await list(id, '?limit=4');
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(first.body.data[0]).toEqual({
      delivery: 'durable',
      seq: 1,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      payload: {
        type: 'conversation.created',
        at: expect.stringMatching(/Z$/),
        title: null,
        origin: 'conversation',
        automationId: null,
      },
    });
    const second = await list(id, `?limit=4&cursor=${first.body.nextCursor}`);
    const third = await list(id, `?limit=3&cursor=${second.body.nextCursor}`);
    const seqs = [first, second, third].flatMap(({ body }) => body.data.map((event: { seq: number }) => event.seq));
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(third.body.nextCursor).toBeNull();
    expect((await list(id)).body.data).toHaveLength(11);
  });

  it('answers a foreign, a missing and a malformed conversation alike', async () => {
    const foreign = await conversation(1, newUserId());
    for (const id of [foreign, newConversationId(), 'nonsense' as ConversationId]) {
      const answers = [await list(id), await stream(id)];
      expect(answers.map((answer) => ('body' in answer ? answer.status : answer.response.statusCode))).toEqual([
        404, 404,
      ]);
    }
  });

  it('refuses cursors that it did not mint, and limits out of range', async () => {
    const [id, other] = [await conversation(5), await conversation(5)];
    const cursor = (await list(other, '?limit=2')).body.nextCursor;
    for (const text of [cursor, '0', '', 'x'.repeat(257), `${cursor}A`]) {
      expect((await list(id, `?cursor=${text}`)).body).toMatchObject({ status: 400, reason: 'invalid_cursor' });
    }
    for (const limit of ['0', '1001', '1.5', 'x', '']) {
      expect((await list(id, `?limit=${limit}`)).body).toMatchObject({
        reason: 'invalid_input',
        issues: [{ path: '/limit' }],
      });
    }
    expect((await list(id, '?nonsense=1')).body.issues).toMatchObject([{ path: '/nonsense' }]);
  });
});

describe('conversations.stream', () => {
  it('says first when to come back, replays, and goes on live with what admission set', async () => {
    const id = await conversation(3);
    const client = await stream(id);
    expect(client.response.statusCode).toBe(200);
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
      ratelimit: expect.any(String),
      'x-content-type-options': 'nosniff',
    });
    await client.until(({ messages }) => messages.length === 4);
    expect(client.text.startsWith('retry: 2000\n\n')).toBe(true);
    await stores.append(id, ada.userId, 2);
    await client.until(({ messages }) => messages.length === 6);
    expect(client.seqs).toEqual([1, 2, 3, 4, 5, 6]);
    expect(client.messages.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(client.messages[5]?.event).toBe('agent.message');
    expect(client.events).toEqual((await list(id)).body.data);
    client.close();
  });

  it('starts strictly after the cursor; Last-Event-ID overrides it; past the head it waits', async () => {
    const id = await conversation(9);
    const [byCursor, byHeader, beyond] = [
      await stream(id, '?cursor=7'),
      await stream(id, '?cursor=2', { 'last-event-id': '9' }),
      await stream(id, '?cursor=12'),
    ];
    await byCursor.until(({ seqs }) => seqs.length === 3);
    await stores.append(id, ada.userId, 4);
    for (const client of [byCursor, byHeader, beyond]) await client.until(({ seqs }) => seqs.at(-1) === 14);
    expect([byCursor, byHeader, beyond].map(({ seqs }) => seqs[0])).toEqual([8, 10, 13]);
    for (const client of [byCursor, byHeader, beyond]) client.close();
  });

  it('refuses bad cursors where they stand', async () => {
    const id = await conversation(1);
    const refusal = async (query: string, headers: Record<string, string> = {}) => {
      const client = await stream(id, query, headers);
      await client.until(({ ended }) => ended !== 'no');
      const { status, reason, issues } = JSON.parse(client.text);
      return [status, reason, issues[0].path];
    };
    for (const cursor of ['-1', '1.0', 'x', '', '9007199254740992', '01', '1e3']) {
      expect(await refusal(`?cursor=${cursor}`)).toEqual([400, 'invalid_input', '/cursor']);
    }
    for (const text of ['-1', 'abc', '9007199254740992', '1 2', '']) {
      expect(await refusal('', { 'last-event-id': text })).toEqual([400, 'invalid_input', '']);
    }
    const last = await stream(id, '?cursor=9007199254740991');
    expect(last.response.statusCode).toBe(200);
    last.close();
  });

  it('shares one hub among all readers of a conversation, and lets go of everything when they leave', async () => {
    const id = await conversation(50);
    const clients = await Promise.all(Array.from({ length: 8 }, () => stream(id)));
    const hubs = api.get(ConversationHubs);
    const before = hubs.open;
    await Promise.all(clients.map((client) => client.until(({ seqs }) => seqs.length === 51)));
    const ninth = await stream(id);
    expect(ninth.response.statusCode).toBe(429);
    expect(ninth.response.headers['retry-after']).toBe('5');
    await ninth.until(({ ended }) => ended !== 'no');
    expect(JSON.parse(ninth.text)).toMatchObject({ reason: 'stream_capacity', retryable: true });
    // HEAD is answered with the head of a stream, and counts as no stream.
    const url = `http://127.0.0.1:${api.port}${pathOf(id, 'stream')}`;
    const head = await fetch(url, { method: 'HEAD', headers: ada.headers });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
    expect(head.headers.get('ratelimit')).not.toBeNull();
    for (const client of clients) client.close();
    const rows = () => stores.database.query('SELECT 1 FROM stream_sockets WHERE user_id = $1', [ada.userId]);
    for (let waits = 0; waits < 100 && (await rows()).length > 0; waits += 1) await sleep(20);
    expect(await rows()).toEqual([]);
    const again = await stream(id, '?cursor=51');
    expect(again.response.statusCode).toBe(200);
    expect(hubs.open).toBe(before);
    again.close();
  });

  it('delivers the progress of a call until its return is delivered', async () => {
    const id = await conversation(1);
    const client = await stream(id, '?cursor=2');
    await sleep(50);
    const [at, runId] = [instantOf(Date.now()), asId<RunId>('d5b2e4a0-0000-4000-8000-000000000002')];
    const runKey = asId<RunKey>(runId);
    const toolCallId = asId<ToolCallId>(`${runId}/1/0`);
    const publish = async (progress: number, call = toolCallId) => {
      const more = { progress, total: 3, message: 'on it' };
      api.live.publish(id, { type: 'agent.tool_progress', at, runId, toolCallId: call, ...more });
      await api.live.flush(id);
    };
    await publish(1);
    await client.until(({ messages }) => messages.length === 1);
    expect(client.messages[0]).toMatchObject({ id: undefined, event: 'agent.tool_progress' });
    const returned = { type: 'tool.returned', at, runId, runKey, toolCallId, outcome: 'ok', result: 'done' } as const;
    await stores.store.append(`conversation-${id}`, [encodeEvent(conversationKind, returned, causeOf(ada.userId))], 1);
    await client.until(({ seqs }) => seqs.length === 1);
    await publish(2);
    await publish(3, asId<ToolCallId>(`${runId}/1/1`));
    await client.until(({ messages }) => messages.length === 3);
    expect(client.messages.map(({ data }) => /"progress":(\d)/.exec(data)?.[1])).toEqual(['1', undefined, '3']);
    client.close();
  });

  it('delivers live deltas to the readers of their conversation only, and none of a finished message', async () => {
    const [id, other] = [await conversation(1), await conversation(1)];
    const [client, stranger] = [await stream(id, '?cursor=2'), await stream(other, '?cursor=2')];
    await sleep(50);
    const messageId = asId<MessageId>('d5b2e4a0-0000-4000-8000-000000000001');
    const publish = (text: string) => {
      const [at, runId] = [instantOf(Date.now()), asId<RunId>(messageId)];
      api.live.publish(id, { type: 'agent.text_delta', at, runId, messageId, text });
    };
    publish('Hello ');
    publish('wörld ');
    const long = '\u{1F600}"\n'.repeat(6_000);
    publish(long);
    await api.live.flush(id);
    await client.until(({ events }) => events.map(({ payload }) => payload.text).join('') === `Hello wörld ${long}`);
    expect(client.events[0]).toEqual({
      delivery: 'live',
      payload: {
        type: 'agent.text_delta',
        at: expect.any(String),
        runId: expect.any(String),
        messageId,
        text: expect.any(String),
      },
    });
    expect(client.messages.every(({ id, event }) => id === undefined && event === 'agent.text_delta')).toBe(true);
    const { store } = stores;
    await store.append(
      `conversation-${id}`,
      [encodeEvent(conversationKind, message('done', messageId), causeOf(ada.userId))],
      1,
    );
    await client.until(({ seqs }) => seqs.length === 1);
    const before = client.messages.length;
    publish('too late');
    await api.live.flush(id);
    await sleep(50);
    expect(client.messages).toHaveLength(before);
    expect(stranger.messages).toEqual([]);
    for (const one of [client, stranger]) one.close();
  });
});
