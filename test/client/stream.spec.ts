import { isReason, type JournalFrame, type ParleyClient, type StreamOptions } from '@parley/client';
import {
  durable,
  events,
  json,
  live,
  page,
  problem,
  ScriptedService,
  silence,
  type Scripted,
} from './scripted-service';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

/** A stream of one conversation, and the controller that ends it. */
function opened(client: ParleyClient = service.client(), more: Partial<StreamOptions> = {}) {
  const abort = new AbortController();
  const stream = client.stream({ userId: 'u', conversationId: 'c', signal: abort.signal, ...more });
  return { stream, abort };
}

/** Reads `count` frames and ends the stream. */
async function take(stream: AsyncIterable<JournalFrame>, count: number): Promise<JournalFrame[]> {
  const frames: JournalFrame[] = [];
  for await (const frame of stream) {
    frames.push(frame);
    if (frames.length === count) break;
  }
  return frames;
}

const names = (frames: readonly JournalFrame[]) =>
  frames.map((frame) => {
    if (frame.delivery === 'durable') return frame.seq;
    return 'text' in frame.payload ? frame.payload.text : frame.payload.progress;
  });

const lastIds = () => service.seen.map(({ headers }) => headers['last-event-id']);

describe('stream()', () => {
  it('goes on where it was, leaves out what it gave already, and passes live frames on', async () => {
    service.play(
      events(['retry: 1\n\n', durable(1), live('a'), durable(2), live('b'), durable(3).slice(0, 40)]),
      events([': heartbeat\n\n', durable(2), durable(3), live('c')]),
    );
    expect(names(await take(opened().stream, 6))).toEqual([1, 'a', 2, 'b', 3, 'c']);
    expect(lastIds()).toEqual(['0', '2']);
    expect(service.seen[0]).toMatchObject({ url: '/v1/users/u/conversations/c/stream' });
    expect(service.seen[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'key' });
  });

  it('begins where it is told to', async () => {
    service.play(events([durable(8)]));
    expect(names(await take(opened(service.client(), { after: 7 }).stream, 1))).toEqual([8]);
    expect(lastIds()).toEqual(['7']);
  });

  it('does not care how the bytes are parted', async () => {
    const bytes = [...Buffer.from(durable(1, 'agent.message') + live('é…'))].map((byte) => Buffer.of(byte));
    service.play((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const byte of bytes) response.write(byte);
    });
    expect(names(await take(opened().stream, 2))).toEqual([1, 'é…']);
  });

  it('comes back after whatever passes, as late as it is asked to', async () => {
    const before = performance.now();
    service.play(
      page(502),
      (response) => response.destroy(),
      json({}),
      problem('internal'),
      problem('stream_capacity', { 'retry-after': '1' }),
      events([durable(1)]),
    );
    expect(names(await take(opened().stream, 1))).toEqual([1]);
    expect(service.seen).toHaveLength(6);
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);
  });

  it.each(['subject_mismatch', 'partner_key_invalid', 'account_not_provisioned', 'credential_expired'] as const)(
    'ends with the problem when it is refused for good: %s',
    async (reason) => {
      service.play(events([durable(1)]), problem(reason));
      const seen: JournalFrame[] = [];
      const follow = async () => {
        for await (const frame of opened().stream) seen.push(frame);
      };
      const error: unknown = await follow().catch((failure: unknown) => failure);
      expect(isReason(error, reason)).toBe(true);
      expect(names(seen)).toEqual([1]);
      expect(service.seen).toHaveLength(2);
    },
  );

  it('asks for a fresh token when the old one has expired, each time again', async () => {
    const asked: boolean[] = [];
    const userToken = ({ renew }: { readonly renew: boolean }) => {
      asked.push(renew);
      return 'token';
    };
    const expired = problem('credential_expired');
    service.play(expired, events([durable(1)]), expired, events([durable(2)]));
    expect(names(await take(opened(service.client({ userToken })).stream, 2))).toEqual([1, 2]);
    expect(asked).toEqual([false, true, false, true]);

    service.play(expired);
    await expect(opened(service.client({ userToken })).stream.next()).rejects.toMatchObject({ status: 401 });
    expect(service.seen).toHaveLength(2);
  });

  it('opens a connection again that has gone silent', async () => {
    service.play(silentAfter(durable(1)), events([durable(2)]));
    expect(names(await take(opened(service.client(), { silenceMaxMs: 300 }).stream, 2))).toEqual([1, 2]);

    service.play(silence, events([durable(1)]));
    expect(names(await take(opened(service.client({ retry: { attemptMs: 300 } })).stream, 1))).toEqual([1]);
  });

  it('never leaves a gap: what is missing is asked for again, and at last it is an error', async () => {
    service.play(events([durable(1), durable(3)]), events([durable(2), durable(3)]));
    expect(names(await take(opened().stream, 3))).toEqual([1, 2, 3]);
    expect(lastIds()).toEqual(['0', '1']);

    service.play(events([durable(3)]));
    await expect(opened().stream.next()).rejects.toMatchObject({ name: 'ParleyUnreachable', kind: 'answer' });
    expect(service.seen.length).toBeGreaterThan(1);
  });

  it.each(['data: {\n\n', 'data: 7\n\n', 'data: {"delivery":"durable","payload":{"type":"run.started"}}\n\n'])(
    'does not believe %j',
    async (text) => {
      service.play(events([text]), events([durable(1)]));
      expect(names(await take(opened().stream, 1))).toEqual([1]);
    },
  );

  it('ends without an error when its signal aborts: while reading, while waiting, before it began', async () => {
    service.play(silentAfter(durable(1)));
    const reading = opened();
    expect(names([(await reading.stream.next()).value as JournalFrame])).toEqual([1]); // reason for the assertion: one came
    setTimeout(() => reading.abort.abort(), 50);
    expect(await reading.stream.next()).toEqual({ done: true, value: undefined });

    service.play(problem('stream_capacity', { 'retry-after': '30' }));
    const waiting = opened();
    setTimeout(() => waiting.abort.abort(), 100);
    expect(await waiting.stream.next()).toEqual({ done: true, value: undefined });
    expect(service.seen).toHaveLength(1);

    service.play(silence);
    const never = opened();
    never.abort.abort();
    expect(await never.stream.next()).toEqual({ done: true, value: undefined });
    expect(service.seen).toHaveLength(0);
  });

  it('hangs up when the loop over it is left', async () => {
    let hungUp: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (hungUp = resolve));
    service.play((response, request) => {
      response.on('close', hungUp);
      silentAfter(durable(1))(response, request);
    });
    await take(opened().stream, 1);
    await closed;
  });

  it('reads no further than it is read: the sender is held up', async () => {
    const frame = live('x'.repeat(100_000));
    const framesMax = 2_000;
    let sent = 0;
    service.play((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (sent < framesMax) {
          sent += 1;
          if (!response.write(frame)) return void response.once('drain', more);
        }
      };
      more();
    });
    const { stream } = opened();
    await stream.next();
    let last = -1;
    // Waits until the sender is blocked. If the client read everything, the sender would reach the end.
    while (last !== sent) {
      last = sent;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(sent).toBeLessThan(framesMax / 4);
    await stream.return();
  });
});

/** Sends a text and nothing after it. */
function silentAfter(text: string): Scripted {
  return events([text], 'stays open');
}
