import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { debianProgram } from '@app/testing/programs';
import { EmbeddedStore, type LossyProxy } from '@app/testing/event-store';
import { until } from '@app/testing/until';
import { EventStoreCheck, checkEventStore, UnfitEventStore } from '../src';

const LOOKS = 4;

let embedded: EmbeddedStore;
let proxy: LossyProxy;
beforeAll(async () => {
  embedded = await EmbeddedStore.start();
});
beforeEach(async () => {
  proxy = await embedded.proxy();
});
afterAll(() => embedded.stop());

const noConnection = () => until('no connection', async () => (proxy.connections === 0 ? true : null), 60_000);

it('leaves no connection behind', async () => {
  for (let n = 0; n < LOOKS; n += 1) expect(await checkEventStore(`unix:${proxy.socketPath}`)).toBe('answers');
  await noConnection();
});

/** As a waiting start does. */
it('has one connection however often it looks, and finds the store again', async () => {
  proxy.loseAnswers();
  const look = new EventStoreCheck(`unix:${proxy.socketPath}`, 200);
  for (let n = 0; n < LOOKS; n += 1) expect(await look.check()).toBe('away');
  expect(proxy.connections).toBeLessThanOrEqual(1);
  proxy.cut();
  await until('the store', async () => ((await look.check()) === 'answers' ? true : null));
  await look.close();
  await noConnection();
});

it('says that nobody listens', async () => {
  expect(await checkEventStore(`${embedded.address}-elsewhere`)).toBe('away');
});

describe('a certificate that is not believed', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-certificates-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function openssl(...args: string[]): Promise<void> {
    execFileSync(await debianProgram('openssl'), args, { cwd: folder, stdio: 'ignore' });
  }

  /** The outcome of a check at a server whose certificate, for `localhost`, is issued by an authority of our own, like a company's. */
  async function saidOf(host: string, query = ''): Promise<unknown> {
    const key = ['-newkey', 'rsa:2048', '-nodes'];
    await openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=our own', '-days', '2');
    await openssl('req', ...key, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost');
    await writeFile(join(folder, 'names'), 'subjectAltName=DNS:localhost');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    await openssl('x509', '-req', '-in', 'request.pem', '-out', 'certificate.pem', ...signed);
    const read = (name: string) => readFile(join(folder, name));
    const pair = { private_key: await read('key.pem'), cert_chain: await read('certificate.pem') };
    const server = new Server();
    const port = await new Promise<number>((resolve, reject) => {
      const credentials = ServerCredentials.createSsl(null, [pair]);
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    try {
      return await checkEventStore(`esdb://${host}:${port}?tls=true${query}`).catch((error: unknown) => error);
    } finally {
      server.forceShutdown();
    }
  }

  it('is of an authority that nobody knows', async () => {
    expect(await saidOf('localhost')).toEqual(
      new UnfitEventStore(
        "the event store's certificate is not believed (unable to verify the first certificate): name its authority with tlsCAFile in EVENTSTORE_URL",
      ),
    );
  });

  it('is that of another host', async () => {
    expect(await saidOf('127.0.0.1', `&tlsCAFile=${join(folder, 'ca.pem')}`)).toEqual(
      new UnfitEventStore(
        "the event store's certificate is for another host: name the host in EVENTSTORE_URL as the certificate does",
      ),
    );
  });

  it('is believed once its authority is named, and the server is away then', async () => {
    // It has no service.
    expect(await saidOf('localhost', `&tlsCAFile=${join(folder, 'ca.pem')}`)).toBe('away');
  });
});
