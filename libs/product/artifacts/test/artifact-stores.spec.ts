import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Unavailable } from '@app/kernel';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import S3rver from 's3rver';
import { SilentSocket } from '@app/testing/proxies';
import { until } from '@app/testing/until';
import type { ArtifactStore } from '../src/stores/artifact-store';
import { DirectoryStore } from '../src/stores/directory-store';
import { S3Store } from '../src/stores/s3-store.adapter';

const key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const credentials = { credentials: key, region: 'us-east-1', forcePathStyle: true };
const bucket = 'parley-test';
const anHourMs = 3_600_000;
/** For a server that answers, on a busy machine. */
const timeoutMs = 30_000;

let folder: string;
let server: S3rver;
let endpoint: string;
/** Multipart uploads that the server was asked to abort, which it does not support. */
let forgotten = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-artifacts-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory: join(folder, 's3') };
  server = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] });
  server.middleware.unshift((context, next) => {
    if (context.method === 'DELETE' && context.url.includes('uploadId=')) forgotten += 1;
    return next();
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A store, and the names of everything in it. */
interface Stage {
  readonly store: ArtifactStore;
  names(): Promise<string[]>;
}

let made = 0;
const stages: Readonly<Record<string, () => Stage>> = {
  'a directory': () => {
    const place = join(folder, `directory-${made++}`);
    return { store: new DirectoryStore(place), names: () => filesIn(place) };
  },
  // The bucket is shared: each test identifies its objects by their bytes.
  'an S3 server': () => ({
    store: new S3Store({ ...credentials, bucket, endpoint, timeoutMs }),
    names: async () => (await filesIn(join(folder, 's3', bucket))).filter((name) => !name.includes('_S3rver_uploads')),
  }),
};

async function filesIn(place: string): Promise<string[]> {
  const found = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

async function* pieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    await sleep(0);
    yield bytes.subarray(at, at + pieceBytes);
  }
}

async function contentOf(store: ArtifactStore, sha256: string): Promise<Buffer | null> {
  return read(await store.get(sha256));
}

async function read(content: Readable | null): Promise<Buffer | null> {
  return content === null ? null : Buffer.concat((await content.toArray()) as Buffer[]); // reason: no encoding is set
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.each(Object.entries(stages))('%s', (_, stage) => {
  it.each([1, 65_537, 5 * 1024 * 1024, 11 * 1024 * 1024 + 7])('keeps %d bytes under their hash', async (length) => {
    const { store } = stage();
    const bytes = randomBytes(length);
    expect(await store.put(pieces(bytes, 64 * 1024))).toEqual({ sha256: sha256Of(bytes), bytes: length });
    expect((await contentOf(store, sha256Of(bytes)))?.equals(bytes)).toBe(true);
  });

  it('keeps equal bytes once, however many bring them at once', async () => {
    const { store, names } = stage();
    const bytes = randomBytes(100_000);
    await store.put(pieces(randomBytes(10), 10));
    const before = (await names()).length;
    await store.put(pieces(bytes, 1_000));
    const each = (await names()).length - before;
    await Promise.all(Array.from({ length: 5 }, () => store.put(pieces(bytes, 1_000))));
    expect((await names()).length).toBe(before + each);
    expect((await contentOf(store, sha256Of(bytes)))?.equals(bytes)).toBe(true);
  });

  it.each([0, 100_000, 6 * 1024 * 1024])('keeps nothing of a body that breaks after %d bytes', async (length) => {
    const { store, names } = stage();
    await store.put(pieces(randomBytes(10), 10));
    const before = await names();
    const gone = new Error('the client went away');
    const broken = async function* () {
      yield* pieces(randomBytes(length), 64 * 1024);
      throw gone;
    };
    await expect(store.put(broken())).rejects.toBe(gone);
    expect(await names()).toEqual(before);
  });

  it.each([
    [0, 0],
    [0, 99_999],
    [65_530, 65_545],
    [99_999, 99_999],
  ])('reads the bytes from %d to %d and no others', async (from, to) => {
    const { store } = stage();
    const bytes = randomBytes(100_000);
    const { sha256 } = await store.put(pieces(bytes, 64 * 1024));
    const content = await store.get(sha256, { range: { from, to } });
    const read = Buffer.concat(((await content?.toArray()) ?? []) as Buffer[]); // reason: no encoding is set
    expect(read.equals(bytes.subarray(from, to + 1))).toBe(true);
  });

  it('removes bytes under their hash, and no others, however often it is asked', async () => {
    const { store, names } = stage();
    const [one, other] = [randomBytes(1_000), randomBytes(1_000)];
    await store.put(pieces(other, 1_000));
    const before = await names();
    await store.put(pieces(one, 1_000));
    expect(await names()).not.toEqual(before);
    for (let turn = 0; turn < 2; turn += 1) expect(await store.remove(sha256Of(one))).toBe(true);
    expect(await store.get(sha256Of(one))).toBeNull();
    expect(await names()).toEqual(before);
    expect((await contentOf(store, sha256Of(other)))?.equals(other)).toBe(true);
  });

  it('has nothing under any other hash', async () => {
    expect(await stage().store.get('0'.repeat(64))).toBeNull();
  });
});

describe('a directory in which a file was changed', () => {
  const bytes = Buffer.from('It rained on the plain all day.');
  let store: DirectoryStore;
  let place: string;
  beforeEach(async () => {
    store = new DirectoryStore(join(folder, `changed-${made++}`));
    place = store.placeOf((await store.put(pieces(bytes, 8))).sha256);
  });
  const whole = { bytes: bytes.length };

  it.each([
    ['cut', () => writeFile(place, 'It')],
    ['emptied', () => writeFile(place, '')],
    ['replaced by a folder', () => rm(place).then(() => mkdir(place))],
  ])('refuses one that was %s, and names its place', async (_, change) => {
    await change();
    for (const range of [undefined, { from: 10, to: 20 }])
      await expect(store.get(sha256Of(bytes), { ...whole, range })).rejects.toThrow(place);
  });

  it('refuses one whose bytes were changed at equal length, once it is read to its end', async () => {
    await writeFile(place, Buffer.from(bytes).fill('x', 3, 5));
    for (const reading of [{}, whole, { ...whole, range: { from: 0, to: bytes.length - 1 } }])
      await expect(read(await store.get(sha256Of(bytes), reading))).rejects.toThrow(`is damaged: put ${place} back`);
  });

  it('reads no more than there was', async () => {
    await writeFile(place, Buffer.concat([bytes, bytes]));
    const content = await store.get(sha256Of(bytes), whole);
    expect(Buffer.concat((await content!.toArray()) as Buffer[]).equals(bytes)).toBe(true); // reason: no encoding is set
  });
});

it('an S3 server that has other bytes under a hash is refused alike, before the last of them', async () => {
  const store = new S3Store({ ...credentials, bucket, endpoint, timeoutMs });
  const bytes = randomBytes(300_000);
  const { sha256 } = await store.put(pieces(bytes, 64 * 1024));
  const client = new S3Client({ ...credentials, endpoint });
  const changed = Buffer.from(bytes).fill(0, 7, 40);
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: `artifacts/${sha256}`, Body: changed }));
  let readBytes = 0;
  const content = (await store.get(sha256, { bytes: bytes.length }))!; // reason: it is there
  content.on('data', (chunk: Buffer) => (readBytes += chunk.length));
  const reading = new Promise((resolve, reject) => content.once('error', reject).once('end', resolve));
  await expect(reading).rejects.toThrow(`is damaged: put s3://${bucket}/artifacts/${sha256} back`);
  expect(readBytes).toBeLessThan(bytes.length);
});

describe('what a killed process left of uploads', () => {
  const going = new AbortController().signal;
  it('is removed from a directory once it must be abandoned', async () => {
    const place = join(folder, 'left');
    const store = new DirectoryStore(place);
    await store.sweep(going);
    await mkdir(join(place, 'incoming'), { recursive: true });
    for (const name of ['old', 'new']) await writeFile(join(place, 'incoming', name), 'x');
    const then = new Date(Date.now() - anHourMs);
    await utimes(join(place, 'incoming', 'old'), then, then);
    await store.sweep(going);
    expect(await filesIn(place)).toEqual([join(place, 'incoming', 'new')]);
  });

  it('is removed from S3 too, where parts are given up at once', async () => {
    const client = new S3Client({ ...credentials, endpoint });
    for (const name of ['old', 'new']) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `incoming/${name}`, Body: 'x' }));
    }
    const incoming = join(folder, 's3', bucket, 'incoming');
    const then = new Date(Date.now() - anHourMs);
    for (const name of await readdir(incoming))
      if (name.startsWith('old')) await utimes(join(incoming, name), then, then);
    await new S3Store({ ...credentials, bucket, endpoint, timeoutMs }).sweep(going);
    expect((await readdir(incoming)).filter((name) => /^(old|new)\._S3rver_object$/.test(name))).toEqual([
      'new._S3rver_object',
    ]);
    expect(forgotten).toBe(1);
  });
});

describe('a store that is away', () => {
  it('is said to be', async () => {
    await writeFile(join(folder, 'a-file'), 'x');
    const port = await freePort();
    const away = [
      new DirectoryStore(join(folder, 'a-file', 'below')),
      new S3Store({ ...credentials, bucket, endpoint: `http://127.0.0.1:${port}`, timeoutMs }),
      new S3Store({ ...credentials, bucket: 'not-there', endpoint, timeoutMs }),
    ];
    for (const store of away) {
      await expect(store.put(pieces(randomBytes(10), 10))).rejects.toThrow(Unavailable);
    }
    await expect(away[1]?.get('0'.repeat(64))).rejects.toThrow(Unavailable);
    for (const store of away) await expect(store.remove('0'.repeat(64))).rejects.toThrow(Unavailable);
  });
});

describe('an S3 server that accepts and never answers', () => {
  const gone = '0'.repeat(64);
  const silences: [string, string][] = [
    ['at all', ''],
    ['whole heads', 'HTTP/1.1 200 OK\r\nContent-'],
    ['more than the beginning', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun'],
  ];
  let socket: SilentSocket;
  const storeAt = (limitMs: number) =>
    new S3Store({ ...credentials, bucket, endpoint: socket.url, timeoutMs: limitMs });
  afterEach(() => socket.close());

  it.each(silences)('%s is away, within its time, to a reader', async (_, beginning) => {
    socket = await SilentSocket.start(beginning);
    const store = storeAt(200);
    await expect(contentOf(store, gone)).rejects.toThrow(Unavailable);
    await until('the end of all requests', () => Promise.resolve(socket.waiting === 0 ? true : null));
  });

  it.each(silences)('%s ends its request when the reader aborts', async (_, beginning) => {
    socket = await SilentSocket.start(beginning);
    const stop = new AbortController();
    const reason = new Error('stopped');
    const store = storeAt(600_000);
    const read = (async () => (await store.get(gone, { signal: stop.signal }))?.toArray())();
    const outcome = expect(read).rejects.toBe(reason);
    await until('a request', () => Promise.resolve(socket.waiting > 0 ? true : null));
    stop.abort(reason);
    await outcome;
    await until('the end of the request', () => Promise.resolve(socket.waiting === 0 ? true : null));
  });

  it('is away to those who write or sweep', async () => {
    socket = await SilentSocket.start();
    const store = storeAt(200);
    for (const length of [10, 6 * 1024 * 1024]) {
      await expect(store.put(pieces(randomBytes(length), 64 * 1024))).rejects.toThrow(Unavailable);
    }
    await expect(store.sweep(new AbortController().signal)).rejects.toThrow(Unavailable);
  }, 60_000);

  it('ends a sweep when the process stops', async () => {
    socket = await SilentSocket.start();
    const stop = new AbortController();
    const sweep = expect(storeAt(600_000).sweep(stop.signal)).rejects.toThrow();
    await until('a request', () => Promise.resolve(socket.waiting > 0 ? true : null));
    stop.abort();
    await sweep;
  });
});

async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo; // reason: it listens on a port
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
