import { createHash, randomBytes } from 'node:crypto';
import { Unavailable } from '@app/kernel';
import { SilentSocket } from '@app/testing/proxies';
import { leastRights, StrictS3, type S3Right } from '@app/testing/objects';
import { UnfitArtifactStore } from '../src/stores/artifact-store';
import type { S3Options } from '../src/stores/s3-client.adapter';
import { S3Store } from '../src/stores/s3-store.adapter';

let server: StrictS3;
beforeAll(async () => {
  server = await StrictS3.start();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.rights = new Set(leastRights);
  server.refused.length = 0;
});

const going = new AbortController().signal;

function storeWith(options: Partial<S3Options> = {}): S3Store {
  return new S3Store({
    bucket: StrictS3.bucket,
    endpoint: server.endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: StrictS3.credentials,
    timeoutMs: 30_000,
    ...options,
  });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  yield bytes;
}

describe('a key with the least rights', () => {
  it.each([10, 6 * 1024 * 1024])('keeps and reads %d bytes, again and again', async (length) => {
    const store = storeWith();
    const bytes = randomBytes(length);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (let turn = 0; turn < 3; turn += 1) expect(await store.put(pieces(bytes))).toEqual({ sha256, bytes: length });
    const content = (await (await store.get(sha256))?.toArray()) as Buffer[]; // reason: no encoding is set
    expect(Buffer.concat(content).equals(bytes)).toBe(true);
  });

  it('is refused once what only tidies up, and does not ask for it again', async () => {
    const store = storeWith();
    for (let turn = 0; turn < 3; turn += 1) {
      await store.put(pieces(randomBytes(10)));
      await store.sweep(going);
    }
    expect(server.refused.map((what) => what.split(' ')[0])).toEqual(['s3:DeleteObject']);
  });

  it('says that it may not remove what is stored', async () => {
    const store = storeWith();
    const { sha256 } = await store.put(pieces(randomBytes(10)));
    expect(await store.remove(sha256)).toBe(false);
    server.rights = new Set([...leastRights, 's3:DeleteObject', 's3:ListBucket']);
    expect(await store.remove(sha256)).toBe(true);
    expect(await store.get(sha256)).toBeNull();
  });

  it('sweeps nothing where it may not list', async () => {
    await storeWith().sweep(going);
    expect(server.refused.map((what) => what.split(' ')[0])).toEqual(['s3:ListBucket']);
  });

  it('cannot tell what is missing, which is no reason to say that it is', async () => {
    await expect(storeWith().get('0'.repeat(64))).rejects.toThrow(Unavailable);
    server.rights = new Set([...leastRights, 's3:ListBucket']);
    expect(await storeWith().get('0'.repeat(64))).toBeNull();
  });

  it('is all that the start needs', async () => {
    await storeWith().look(going);
    expect(server.refused).toEqual([]);
  });
});

describe('what can only be a mistake', () => {
  const wrong: [string, Partial<S3Options>, readonly S3Right[], RegExp][] = [
    [
      'no such bucket',
      { bucket: 'not-there' },
      leastRights,
      /^S3_BUCKET names not-there, and there is no such bucket: /,
    ],
    [
      'a key that nobody knows',
      { credentials: { accessKeyId: 'other', secretAccessKey: 'other' } },
      leastRights,
      /^S3 refuses the credentials of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY \(InvalidAccessKeyId\): correct them$/,
    ],
    [
      'no right to write',
      {},
      ['s3:GetObject'],
      /\(AccessDenied\): allow s3:PutObject and s3:GetObject on all of its objects$/,
    ],
    ['no right to read', {}, ['s3:PutObject'], /: allow s3:PutObject and s3:GetObject on all of its objects$/],
  ];
  it.each(wrong)('is told at the start: %s', async (_, options, rights, sentence) => {
    server.rights = new Set(rights);
    const failure = storeWith(options).look(going);
    await expect(failure).rejects.toThrow(UnfitArtifactStore);
    await expect(failure).rejects.toThrow(sentence);
  });

  it('is not that S3 is away or silent', async () => {
    await expect(storeWith({ endpoint: 'http://127.0.0.1:1' }).look(going)).rejects.toThrow(Unavailable);
    const silent = await SilentSocket.start();
    const late = AbortSignal.timeout(300);
    await expect(storeWith({ endpoint: silent.url, timeoutMs: 600_000 }).look(late)).rejects.toThrow(Unavailable);
    await silent.close();
  });
});

describe('credentials that are not set', () => {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
  const before = names.map((name) => [name, process.env[name]] as const);
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it("are those of the SDK's default chain", async () => {
    process.env['AWS_ACCESS_KEY_ID'] = StrictS3.credentials.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = StrictS3.credentials.secretAccessKey;
    await storeWith({ credentials: null }).look(going);
    process.env['AWS_ACCESS_KEY_ID'] = 'other';
    await expect(storeWith({ credentials: null }).look(going)).rejects.toThrow(UnfitArtifactStore);
  });
});

describe('the name of the bucket', () => {
  it('is in the path, or in the host', async () => {
    // No host of a bucket resolves here, so the error shows that it was requested.
    const inHost = storeWith({ forcePathStyle: false, endpoint: 'http://s3.invalid:1' });
    await expect(inHost.look(going)).rejects.toMatchObject({
      cause: { message: expect.stringContaining(`${StrictS3.bucket}.s3.invalid`) as unknown },
    });
    await storeWith({ forcePathStyle: true }).look(going);
  });
});
