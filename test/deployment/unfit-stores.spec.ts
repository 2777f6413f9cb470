/**
 * Stores that answer and cannot carry the service, and issuers that are not the intended one: every program says so in one sentence, with
 * what to do, before it creates anything there.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status, type ServerCredentials } from '@grpc/grpc-js';
import { Client } from 'pg';
import { LoopbackIssuer } from '@app/testing/identity';
import { startPgbouncer } from '@app/testing/programs';
import { freePorts, TestProcess } from '@app/testing/processes';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { StrictS3 } from '@app/testing/objects';
import { parley } from './cli';
import { selfSigned, startRefusingEventStore } from './refusing-event-store';

const atMostMs = 300_000;
jest.setTimeout(atMostMs);

const programs = ['api', 'worker', 'standalone', 'cli'] as const;
const role = `few_rights_${randomUUID().replaceAll('-', '')}`;
const latin = `latin_${randomUUID().replaceAll('-', '')}`;

let database: TestDatabase;
let folder: string;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-unfit-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  database = await createTestDatabase();
  undo.push(() => database.drop());
});
afterAll(async () => {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
});

async function asAdmin(...statements: string[]): Promise<void> {
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  for (const statement of statements) await admin.query(statement);
  await admin.end();
}

/** The output of a program that does not start on these stores. */
async function saidBy(program: (typeof programs)[number], stores: Record<string, string>): Promise<string> {
  const [port, managementPort] = await freePorts(2);
  const env = {
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    PARLEY_DATA_DIR: join(folder, randomUUID()),
    PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'silent',
    ...stores,
  };
  if (program === 'cli') {
    const { code, stderr } = await parley(env, ['keys', 'list'], folder);
    expect(code).toBe(1);
    return stderr.trim();
  }
  const one = new TestProcess({ app: program, env, cwd: folder, ready: (output) => output.includes('is ready') });
  await expect(one.start()).rejects.toThrow(`${program} ended with 1`);
  return one.output.trim();
}

async function saysEach(
  asked: readonly (typeof programs)[number][],
  stores: Record<string, string>,
  sentence: RegExp,
): Promise<void> {
  for (const program of asked) {
    const said = await saidBy(program, stores);
    expect(said).toMatch(sentence);
    expect(said.split('\n')).toHaveLength(1);
  }
}

/** The database's URL with one change. */
function changed(change: (url: URL) => void): string {
  const url = new URL(database.url);
  change(url);
  return url.toString();
}

/** No server listens there; the database is checked first. */
const EVENTSTORE_URL = 'esdb://127.0.0.1:1?tls=false';

describe('a database', () => {
  it('in LATIN1', async () => {
    await asAdmin(
      `CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc`,
    );
    undo.push(() => asAdmin(`DROP DATABASE ${latin} WITH (FORCE)`));
    const DATABASE_URL = changed((url) => (url.pathname = `/${latin}`));
    await saysEach(
      programs,
      { DATABASE_URL, EVENTSTORE_URL },
      /^DATABASE_URL names a database in LATIN1, .*: name one that was made WITH ENCODING 'UTF8'/,
    );
  });

  it('behind a pooler by transaction', async () => {
    const pgbouncer = await startPgbouncer(database.url, 'transaction');
    undo.push(() => pgbouncer.stop());
    await saysEach(
      ['api'],
      { DATABASE_URL: pgbouncer.url, EVENTSTORE_URL },
      /^DATABASE_URL names a pooler .*: set its pool_mode to session, or name PostgreSQL itself$/,
    );
  });

  it('of which the password is wrong', async () => {
    const DATABASE_URL = changed((url) => (url.password = 'wrong'));
    await saysEach(
      ['worker'],
      { DATABASE_URL, EVENTSTORE_URL },
      /^PostgreSQL refuses this service \(password authentication failed for user ".*"\): correct DATABASE_URL/,
    );
  });

  it('whose role may create nothing', async () => {
    await asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD 'few'`);
    undo.push(() => asAdmin(`DROP OWNED BY ${role}`, `DROP ROLE ${role}`));
    const DATABASE_URL = changed((url) => ([url.username, url.password] = [role, 'few']));
    expect(await saidBy('api', { DATABASE_URL, EVENTSTORE_URL })).toBe(
      `this version has tables to create, and the role ${role} may not: GRANT CREATE ON SCHEMA public TO ${role}`,
    );
    // The embedded event store is started first.
    expect(await saidBy('standalone', { DATABASE_URL })).toMatch(
      /^the event store did not start: the role .* may not create the event store's schema .*: GRANT CREATE ON DATABASE .*$/,
    );
  });
});

describe('an issuer', () => {
  it('whose discovery document is that of another', async () => {
    const issuer = new LoopbackIssuer();
    issuer.claimsToBe = 'https://id.example/';
    await issuer.start();
    undo.push(() => issuer.stop());
    await saysEach(
      ['api'],
      { DATABASE_URL: database.url, EVENTSTORE_URL, OIDC_ISSUER: issuer.issuer },
      /^OIDC_ISSUER names http:.*, and the discovery document there is that of "https:\/\/id.example\/": name the issuer exactly as its tokens do$/,
    );
  });
});

describe('an event store', () => {
  async function refusing(code: status, credentials?: ServerCredentials): Promise<number> {
    const { port, stop } = await startRefusingEventStore(code, credentials);
    undo.push(stop);
    return port;
  }

  it('of which the password is wrong', async () => {
    const port = await refusing(status.UNAUTHENTICATED);
    await saysEach(
      programs,
      { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://admin:wrong@127.0.0.1:${port}?tls=false` },
      /^the event store refuses the user or password of EVENTSTORE_URL: correct them$/,
    );
  });

  it('whose user may not read $all', async () => {
    const port = await refusing(status.PERMISSION_DENIED);
    await saysEach(
      ['worker'],
      { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://parley:right@127.0.0.1:${port}?tls=false` },
      /^the event store does not let the user of EVENTSTORE_URL read \$all: give it that right/,
    );
  });

  it('whose certificate nobody knows, or that has none', async () => {
    const port = await refusing(status.UNAUTHENTICATED, await selfSigned(folder));
    await saysEach(
      ['cli'],
      { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://localhost:${port}?tls=true` },
      /^the event store's certificate is not believed \(self-signed certificate\): name its authority with tlsCAFile/,
    );
    const plain = await refusing(status.UNAUTHENTICATED);
    expect(
      await saidBy('api', { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://localhost:${plain}?tls=true` }),
    ).toBe('the event store speaks no TLS: set tls=false in EVENTSTORE_URL, or give the store a certificate');
  });
});

describe('an artifact store', () => {
  let server: StrictS3;
  beforeAll(async () => {
    server = await StrictS3.start();
    undo.push(() => server.stop());
  });

  /** The first complaint of each program is about the bucket, because its other stores are fit. */
  const given = (more: Record<string, string>): Record<string, string> => ({
    DATABASE_URL: database.url,
    ARTIFACT_STORE: 's3',
    S3_ENDPOINT: server.endpoint,
    S3_BUCKET: StrictS3.bucket,
    S3_ACCESS_KEY_ID: StrictS3.credentials.accessKeyId,
    ...more,
    S3_SECRET_ACCESS_KEY: StrictS3.credentials.secretAccessKey,
  });

  it('without the bucket', () =>
    saysEach(
      ['standalone'],
      given({ S3_BUCKET: 'not-there' }),
      /^S3_BUCKET names not-there, and there is no such bucket: make it, or name another$/,
    ));

  it('that does not let this service write', async () => {
    server.rights = new Set(['s3:GetObject']);
    await saysEach(
      ['standalone'],
      given({}),
      /^S3 lets this service not write and read in the bucket parley-strict \(AccessDenied\): allow s3:PutObject and s3:GetObject/,
    );
  });
});
