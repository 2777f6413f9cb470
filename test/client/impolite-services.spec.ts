/**
 * `@parley/client` against services that break every rule of a connection: each attempt ends within `attemptMs`, and
 * each stream is opened again.
 */
import { ParleyClient } from '@parley/client';
import { impoliteOutcomes, impoliteKinds } from '@app/testing/impolite';

const attemptMs = 1_500;
const clientAt = (baseUrl: string) =>
  new ParleyClient({ baseUrl, partnerKey: 'k', userToken: 't', retry: { attempts: 1, attemptMs } });

it('a call', async () => {
  const found = await impoliteOutcomes({
    attempt: (url) => clientAt(url).users.me(),
    limitMs: attemptMs,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
});

it('a stream', async () => {
  const opened: string[] = [];
  const tried: Record<string, number> = {};
  const found = await impoliteOutcomes({
    attempt: async (url, kind) => {
      const counting = (input: string, init: RequestInit): Promise<Response> => {
        tried[kind] = (tried[kind] ?? 0) + 1;
        if (tried[kind] === 2) ended.abort();
        return fetch(input, init);
      };
      const ended = new AbortController();
      const late = setTimeout(() => ended.abort(), 3 * attemptMs + 2_000);
      const retry = { attempts: 1, attemptMs, firstDelayMs: 1, delayMaxMs: 1 };
      const client = new ParleyClient({ baseUrl: url, partnerKey: 'k', userToken: 't', retry, fetch: counting });
      const conversationId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f';
      const streamed = { conversationId, userId: conversationId, signal: ended.signal, silenceMaxMs: attemptMs };
      for await (const frame of client.stream({ ...streamed, onOpen: () => opened.push(kind) })) return frame;
      clearTimeout(late);
      return 'ended';
    },
    limitMs: 3 * attemptMs + 2_000,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  expect([...new Set(opened)].sort()).toEqual(['drips a stream of events', 'pours one event']);
  // Each stream was abandoned and opened again, except the one whose bytes keep arriving, however few.
  const leftOnce = Object.keys(impoliteKinds).filter((kind) => (tried[kind] ?? 0) < 2);
  expect(leftOnce).toEqual(['drips a stream of events']);
});
