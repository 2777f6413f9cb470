/** Against services that break every rule of a connection, each call and each stream of the command line ends within its limit. */
import { impoliteKinds, impoliteOutcomes, type ImpoliteKind } from '@app/testing/impolite';
import { follow } from '../src/feeds/follow-stream';
import { overHttp } from '../src/operators/operator-api';

const limitMs = 1_500;
const path = '/operator/v1/deployment';

it('a call', async () => {
  const found = await impoliteOutcomes({
    attempt: (url) => overHttp(url, 'a token', limitMs).call({ method: 'GET', path }),
    limitMs,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
});

/** Their bytes arrive for as long as they are read, so the consumer of a stream decides how long. */
const endless: readonly ImpoliteKind[] = [
  'drips its body',
  'pours its body',
  'drips a stream of events',
  'pours one event',
];

it('an export, whose taker ends it after 4 MiB or 200 pieces', async () => {
  const found = await impoliteOutcomes({
    attempt: (url) => {
      let [bytes, pieces] = [0, 0];
      const take = async (chunk: Uint8Array): Promise<void> => {
        [bytes, pieces] = [bytes + chunk.length, pieces + 1];
        if (bytes > 4 * 1024 * 1024 || pieces > 200) throw new Error('the disk is full');
      };
      return overHttp(url, 'a token', limitMs).call({ method: 'GET', path, take });
    },
    limitMs: 4 * limitMs + 200 * 20,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  const taken = Object.entries(found.ended).filter(([, ended]) => ended === 'Error: the disk is full');
  expect(taken.map(([kind]) => kind)).toEqual(expect.arrayContaining([...endless]));
});

it('a stream, which is left and opened again', async () => {
  const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const left = new Set<string>();
  const found = await impoliteOutcomes({
    attempt: async (url, kind) => {
      const over = new AbortController();
      const late = setTimeout(() => over.abort(), 3 * limitMs);
      const fetched = jest.spyOn(globalThis, 'fetch');
      let own = 0;
      for await (const event of follow({ url, headers: {}, signal: over.signal, silenceMaxMs: limitMs })) return event;
      own = fetched.mock.calls.filter(([input]) => input === url).length;
      if (own > 1) left.add(kind);
      clearTimeout(late);
      return 'ended';
    },
    limitMs: 3 * limitMs,
    byFetch: true,
  });
  written.mockRestore();
  jest.restoreAllMocks();
  expect(found).toMatchObject({ hanging: [], left: [] });
  const refused = Object.entries(found.ended).filter(([, ended]) => String(ended).startsWith('Error: refused'));
  const stayed = Object.keys(impoliteKinds).filter((kind) => !left.has(kind) && !refused.some(([one]) => one === kind));
  expect(stayed).toEqual(['drips a stream of events']);
});
