/** Witnesses that break every rule of a connection: each offer ends within 5 s. */
import { impoliteOutcomes } from '@app/testing/impolite';
import { TestLog } from '@app/testing/logs';
import { signingKey } from '@app/transparency';
import { offerCheckpoint } from '../src/witnesses/witness-call';

it('a witness', async () => {
  const log = TestLog.create();
  const key = signingKey('witness', 'w.example', Buffer.alloc(32, 9));
  const offer = { old: 4, path: log.path(4, 9), note: log.note(9) };
  const found = await impoliteOutcomes({
    attempt: (url) => offerCheckpoint({ key, url }, offer, new AbortController().signal),
    limitMs: 5_000,
    byFetch: true,
  });
  expect(found).toMatchObject({ hanging: [], left: [] });
  for (const ended of Object.values(found.ended)) expect(ended).toMatch(/^Error: /);
});
