import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Frame, TestClient } from '@app/testing/client';
import {
  allPages,
  conversationOf,
  expectProblem,
  journal,
  type Listed,
  missingId,
  raw,
  say,
  start,
  startLongRun,
  untilEnded,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env: { STREAMS_PER_USER: '100' } });
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

const streamOf = (conversationId: string) => `/conversations/${conversationId}/stream`;
const durable = (frames: readonly Frame[]) => frames.filter(({ data }) => data.delivery === 'durable');
const seqs = (frames: readonly Frame[]) => durable(frames).map(({ data }) => data.seq);
const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, index) => from + index);

describe('events.list', () => {
  it('pages through the journal, oldest first, without gap or repetition', async () => {
    const id = await conversationOf(user);
    for (const text of ['what time is it', undefined, undefined]) await say(user, id, text);
    const whole = await journal(there, id);
    expect(whole.map(({ seq }) => seq)).toEqual(upTo(whole.length));
    for (const limit of [1, 3, whole.length, 1000]) {
      const { pages, items } = await allPages(there, `/conversations/${id}/events?limit=${limit}`);
      expect(items).toEqual(whole);
      expect(pages).toHaveLength(Math.ceil(whole.length / limit));
    }
    for (const event of whole) {
      expect(Object.keys(event).sort()).toEqual(['delivery', 'payload', 'requestId', 'seq']);
      const payload = { type: expect.any(String), at: expect.any(String) };
      expect(event).toMatchObject({ delivery: 'durable', payload });
    }
    const text = JSON.stringify(whole);
    for (const secret of [user.userId, 'runKey', 'costMicroCents', 'segmentCostCents'])
      expect(text).not.toContain(secret);
  });

  it('has new events where it ended, for a cursor that is kept', async () => {
    const id = await conversationOf(user);
    const first = await user.get<Listed>(`/conversations/${id}/events?limit=1`);
    expect(first.body.nextCursor).toBeNull();
    await say(user, id);
    const { body } = await there.get<Listed>(`/conversations/${id}/events?limit=1`);
    const rest = await user.get<Listed<Frame['data']>>(`/conversations/${id}/events?cursor=${body.nextCursor}`);
    expect(rest.body.data.map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  });

  it('answers an end to go on from, so that a poller reads nothing twice', async () => {
    interface Polled extends Listed<Frame['data']> {
      readonly endCursor: string;
    }
    const id = await conversationOf(user);
    const path = `/conversations/${id}/events`;
    const polled: Frame['data'][] = [];
    let after = '';
    const poll = async (limit: number) => {
      const { status, body } = await there.get<Polled>(`${path}?limit=${limit}${after && `&cursor=${after}`}`);
      expect([status, typeof body.endCursor]).toEqual([200, 'string']);
      polled.push(...body.data);
      after = body.endCursor;
      return body;
    };
    const first = await poll(500);
    expect([first.data.length, first.nextCursor]).toEqual([1, null]);
    // No new events: the position stays.
    expect(await poll(500)).toEqual({ data: [], nextCursor: null, endCursor: first.endCursor });
    await say(user, id);
    const part = await poll(2);
    expect(part.endCursor).toBe(part.nextCursor);
    for (let n = 0; n < 3; n += 1) await poll(2);
    expect(polled).toEqual(await journal(user, id));
  });

  it('refuses what it does not know', async () => {
    const id = await conversationOf(user);
    await say(user, id);
    const other = await conversationOf(user);
    const { body } = await user.get<Listed>(`/conversations/${id}/events?limit=1`);
    const path = `/conversations/${id}/events`;
    expectProblem(await user.get(`/conversations/${other}/events?cursor=${body.nextCursor}`), 'invalid_cursor');
    for (const bad of ['1', '', 'x'.repeat(257)])
      expectProblem(await user.get(`${path}?cursor=${bad}`), 'invalid_cursor');
    for (const limit of ['0', '1001', 'all']) {
      expectProblem(await user.get(`${path}?limit=${limit}`), 'invalid_input', { at: ['/limit'] });
    }
    expectProblem(await user.get(`${path}?after=1`), 'invalid_input', { at: ['/after'] });
  });
});

describe('conversations.stream', () => {
  it('speaks word by word on whichever replica it is read, then says it whole', async () => {
    const id = await conversationOf(user);
    const readers = [await user.stream(streamOf(id)), await there.stream(streamOf(id))];
    const text = Array.from({ length: 20 }, (_, n) => `word${n}`).join(' ');
    const { body } = await start(user, id, `repeat after me: ${text}`);
    for (const reader of readers) {
      await reader.untilEvent('run.ended');
      const deltas = reader.frames.filter(({ event }) => event === 'agent.text_delta');
      // The last words may come as the whole message instead: they take different ways to a replica.
      const spoken = deltas.map(({ data }) => data.payload['text']).join('');
      expect(text.slice(0, spoken.length)).toBe(spoken);
      expect(deltas.length).toBeGreaterThan(5);
      const said = reader.frames.findIndex(({ event }) => event === 'agent.message');
      const { messageId } = reader.frames[said]?.data.payload ?? {};
      const payload = {
        type: 'agent.text_delta',
        at: expect.any(String),
        runId: body.runId,
        messageId,
        text: expect.any(String),
      };
      for (const delta of deltas) {
        expect(reader.frames.indexOf(delta)).toBeLessThan(said);
        expect(delta).toEqual({ id: undefined, event: 'agent.text_delta', data: { delivery: 'live', payload } });
      }
      const events = await journal(user, id);
      expect(durable(reader.frames).map(({ data }) => data)).toEqual(events);
      for (const { id: frameId, event, data } of durable(reader.frames)) {
        expect([frameId, event]).toEqual([String(data.seq), data.payload['type']]);
      }
      await reader.close();
    }
  });

  it('starts strictly after its cursor, and Last-Event-ID goes before it', async () => {
    const id = await conversationOf(user);
    await say(user, id);
    const last = (await journal(user, id)).length;
    const path = streamOf(id);
    for (const [query, header, from] of [
      ['', undefined, 1],
      ['?cursor=0', undefined, 1],
      ['?cursor=3', undefined, 4],
      ['?cursor=5', '2', 3],
      ['?cursor=none', '2', 3],
      ['', String(last - 1), last],
    ] as const) {
      const reader = await there.stream(path + query, header === undefined ? {} : { 'last-event-id': header });
      await reader.until(({ data }) => data.seq === last);
      expect(seqs(reader.frames)).toEqual(upTo(last, from));
      await reader.close();
    }
  });

  it('past the head waits until the journal has got there', async () => {
    const id = await conversationOf(user);
    const reader = await user.stream(`${streamOf(id)}?cursor=4`);
    const { body } = await start(user, id);
    await untilEnded(user, body.runId);
    await reader.untilEvent('run.ended');
    expect(seqs(reader.frames)).toEqual([5]);
    await reader.close();
  });

  it('misses nothing and sees nothing twice from the lastSeq of conversations.get on', async () => {
    const id = await conversationOf(user);
    const { body } = await start(user, id, `repeat after me: ${'w '.repeat(30)}`);
    const { lastSeq } = (await there.get(`/conversations/${id}`)).body;
    const reader = await there.stream(`${streamOf(id)}?cursor=${String(lastSeq)}`);
    await reader.untilEvent('run.ended');
    await untilEnded(user, body.runId);
    const whole = await journal(user, id);
    expect(seqs(reader.frames)).toEqual(upTo(whole.length, Number(lastSeq) + 1));
    await reader.close();
  });

  it('goes on without gap or repetition, however often a client comes back, on any replica', async () => {
    const id = await conversationOf(user);
    const { body } = await start(user, id, `repeat after me: ${'w '.repeat(25)}`);
    const seen: Frame[] = [];
    for (let turn = 0; durable(seen).at(-1)?.event !== 'run.ended' && turn < 200; turn += 1) {
      const lastId = durable(seen).at(-1)?.id;
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const reader = await (turn % 2 ? user : there).stream(streamOf(id), headers);
      await sleep(15 * (turn % 7));
      await reader.close();
      seen.push(...reader.frames);
    }
    await untilEnded(user, body.runId);
    const whole = await journal(user, id);
    expect(durable(seen).map(({ data }) => data)).toEqual(whole);
  });

  it('begins as an event stream does', async () => {
    const id = await conversationOf(user);
    const abort = new AbortController();
    const response = await fetch(user.url(streamOf(id)), { headers: user.headers, signal: abort.signal });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toMatch(/^retry: 2000\n\n/);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-request-id')).toEqual(expect.any(String));
    expect(response.headers.get('ratelimit')).toEqual(expect.any(String));
    abort.abort();
  });

  it('refuses what it does not know', async () => {
    const id = await conversationOf(user);
    const path = streamOf(id);
    for (const cursor of ['-1', '1.0', '', 'x', '9007199254740992', '1e3', '00']) {
      expectProblem(await user.get(`${path}?cursor=${cursor}`), 'invalid_input', { at: ['/cursor'] });
    }
    const { body } = await user.get<Listed>(`/conversations?limit=1`);
    if (body.nextCursor)
      expectProblem(await user.get(`${path}?cursor=${body.nextCursor}`), 'invalid_input', { at: ['/cursor'] });
    for (const lastEventId of ['x', '-1', '1.5', '9007199254740992', '0x1']) {
      const answer = await raw(user, 'GET', path, { headers: { 'last-event-id': lastEventId } });
      expectProblem(answer, 'invalid_input', { at: [''] });
    }
    expectProblem(await user.get(`${path}?limit=5`), 'invalid_input', { at: ['/limit'] });
    expectProblem(await user.get(streamOf(missingId)), 'not_found');
  });

  it('tells all of twenty readers the same while a run is stopped', async () => {
    const id = await conversationOf(user);
    const path = streamOf(id);
    const readers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? user : there).stream(path)));
    const runId = await startLongRun(user, id);
    await readers[0]?.untilEvent('agent.text_delta');
    await there.post(`/agent-runs/${runId}/abort`);
    const whole = await journal(user, id);
    for (const reader of readers) {
      await reader.untilEvent('run.ended');
      expect(durable(reader.frames).map(({ data }) => data)).toEqual(whole);
      await reader.close();
    }
  });
});
