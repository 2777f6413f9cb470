import { isReason, ParleyClient, type FeedFrame } from '@parley/client';
import { errorOf } from './example-calls';
import { events, json, page, problem, ScriptedService, silence, told } from './scripted-service';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

/** A client without a user. */
const backend = () =>
  new ParleyClient({ baseUrl: service.baseUrl, partnerKey: 'key', retry: { firstDelayMs: 1, delayMaxMs: 5 } });
const lastIds = () => service.seen.map(({ headers }) => headers['last-event-id']);

/** Reads `count` frames and ends the stream. */
async function take(stream: AsyncIterable<FeedFrame>, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { cursor, event } of stream) {
    seen.push(`${cursor} ${event.id}`);
    if (seen.length === count) break;
  }
  return seen;
}

describe('feed.stream', () => {
  it('goes on behind the last whole frame, one that has an id alone too', async () => {
    service.play(
      events(['retry: 1\n\nid: start\n\n']),
      events(['id: start\n\n', told('a'), told('b'), 'id: looked-through\n\n: heartbeat\n\n', told('c').slice(0, 20)]),
      events([`id: looked-through\n\n${told('c')}id: further\n\n${told('d')}`]),
      events([told('e')]),
    );
    expect(await take(backend().feed.stream({ after: 'now' }), 5)).toEqual(['a a', 'b b', 'c c', 'd d', 'e e']);
    expect(lastIds()).toEqual(['now', 'start', 'looked-through', 'd']);
  });

  it('begins at the beginning unless it is told where, and does not care how the bytes are parted', async () => {
    const bytes = [...Buffer.from(`id: start\n\n${told('a')}id: b\n\n`)].map((byte) => Buffer.of(byte).toString());
    service.play(events(['retry: 1\n\n', ...bytes]), events([told('c')]));
    expect(await take(backend().feed.stream(), 2)).toEqual(['a a', 'c c']);
    expect(lastIds()).toEqual([undefined, 'b']);
    expect(service.seen[0]).toMatchObject({ method: 'GET', url: '/feed/v1/stream' });
  });

  it('comes back after whatever passes, and does not believe what is no event', async () => {
    service.play(
      page(502),
      (response) => response.destroy(),
      problem('internal'),
      events(['id: a\ndata: {\n\n']),
      events(['data: {"id":"a","type":"run.ended"}\n\n']),
      events([told('a')]),
    );
    expect(await take(backend().feed.stream({ after: 'now' }), 1)).toEqual(['a a']);
    expect(new Set(lastIds())).toEqual(new Set(['now']));
  });

  it.each(['permission_required', 'partner_key_invalid', 'invalid_cursor'] as const)(
    'ends with the problem when it is refused for good: %s',
    async (reason) => {
      service.play(problem(reason));
      expect(isReason(await errorOf(backend().feed.stream().next()), reason)).toBe(true);
      expect(service.seen).toHaveLength(1);
    },
  );

  it('opens a silent connection again, tells of each, and ends without an error when its signal aborts', async () => {
    service.play(events([told('a')], 'stays open'), events([told('b')], 'stays open'));
    const abort = new AbortController();
    let opened = 0;
    const onOpen = () => (opened += 1);
    const stream = backend().feed.stream({}, { silenceMaxMs: 300, signal: abort.signal, onOpen });
    const seen: string[] = [];
    for await (const { event } of stream) {
      seen.push(event.id);
      if (event.id === 'b') abort.abort();
    }
    expect([seen, opened]).toEqual([['a', 'b'], 2]);
    service.play(silence);
    expect(await backend().feed.stream({}, { signal: AbortSignal.abort() }).next()).toEqual({
      done: true,
      value: undefined,
    });
  });
});

describe('the feed asks for no user', () => {
  it('so no token is sent, and none is asked for', async () => {
    const userToken = () => {
      throw new Error('the token was asked for');
    };
    service.play(json({ data: [], nextCursor: null, endCursor: 'end' }), events([told('a')]));
    const parley = service.client({ userToken });
    expect((await parley.feed.list({ cursor: 'now' })).endCursor).toBe('end');
    await take(parley.feed.stream({ after: 'end' }), 1);
    for (const { headers } of service.seen) {
      expect([headers['x-api-key'], headers.authorization]).toEqual(['key', undefined]);
    }
  });

  it('and a client without a token says so where one is needed', async () => {
    service.play(json({}));
    for (const call of [backend().users.me(), backend().runs.list().page()]) {
      expect(await errorOf(call)).toMatchObject({ name: 'TypeError', message: expect.stringContaining('userToken') });
    }
    const stream = backend().conversations.stream({ userId: 'u', conversationId: 'c' });
    expect(await errorOf(stream.next())).toBeInstanceOf(TypeError);
    expect(service.seen).toHaveLength(0);
  });
});
