/** S3 servers that break every rule of a connection: each request ends within S3_TIMEOUT_MS and its three attempts. */
import { Readable } from 'node:stream';
import { impoliteOutcomes } from '@app/testing/impolite';
import { S3Store } from '../src/stores/s3-store.adapter';

const timeoutMs = 1_000;
const limitMs = 3 * timeoutMs + 500; // the SDK pauses between its attempts
const place = { region: 'us-east-1', forcePathStyle: true, bucket: 'parley-test' };
const credentials = { accessKeyId: 'x', secretAccessKey: 'y' };

const acts: Readonly<Record<string, (store: S3Store) => Promise<unknown>>> = {
  'a download': async (store) => {
    const body = await store.get('0'.repeat(64), { bytes: 20 });
    return body === null ? null : Buffer.concat(await body.toArray()).length;
  },
  'an upload': (store) => store.put(Readable.from([Buffer.from('x')])),
  'a check': (store) => store.look(new AbortController().signal),
  'a sweep': (store) => store.sweep(new AbortController().signal),
};

it('each request', async () => {
  const played = Object.entries(acts).map(async ([name, act]) => {
    const attempt = (url: string) => act(new S3Store({ ...place, credentials, endpoint: url, timeoutMs }));
    return [name, await impoliteOutcomes({ attempt, limitMs })] as const;
  });
  for (const [name, { hanging, left, ended }] of await Promise.all(played)) {
    expect({ name, hanging, left }).toEqual({ name, hanging: [], left: [] });
    // The SDK takes it for a success.
    expect(ended['switches protocols, to none']).toMatch(/^Error: /);
  }
});
