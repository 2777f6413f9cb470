/** Requirements for a database, checked before anything is started on it (docs/decisions/configuration-and-start.md, "Start"). */
import { randomUUID } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { installedWithinMs, startPgbouncer } from '@app/testing/programs';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { checkDatabase, UnfitDatabase } from '../src';
import { openTallies } from './tally';
import { whyUnfit, type DatabaseFacts } from '../src/postgres/check-database';
import { Unavailable } from '@app/kernel';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

async function onTest(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: test.url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const nameOf = (url: string): string => escapeIdentifier(new URL(url).pathname.slice(1));

describe('a database', () => {
  it('as PostgreSQL makes it will do', async () => {
    await expect(checkDatabase(test.url)).resolves.toBeUndefined();
  });

  it('that answers while this process is busy beyond the limit will do', async () => {
    const look = checkDatabase(test.url);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500));
    await expect(look).resolves.toBeUndefined();
  });

  it('in LATIN1 is refused: it cannot hold every text', async () => {
    const latin = `latin_${randomUUID().replaceAll('-', '')}`;
    await onTest(
      `CREATE DATABASE ${latin} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc`,
    );
    const url = new URL(test.url);
    url.pathname = `/${latin}`;
    const look = checkDatabase(url.toString());
    await expect(look).rejects.toThrow(UnfitDatabase);
    await expect(look).rejects.toThrow(/^DATABASE_URL names a database in LATIN1, .* ENCODING 'UTF8'/);
    await onTest(`DROP DATABASE ${latin} WITH (FORCE)`);
  });

  it('that is read-only is refused, under the name of the setting that names it', async () => {
    await onTest(`ALTER DATABASE ${nameOf(test.url)} SET default_transaction_read_only = on`);
    await expect(checkDatabase(test.url, '--to')).rejects.toThrow(
      /^--to names a database that takes no writes \(default_transaction_read_only is on\): set it to off/,
    );
  });

  it('that is not there, or of which the password is wrong, is refused in words', async () => {
    const url = new URL(test.url);
    url.pathname = '/no_such_database';
    await expect(checkDatabase(url.toString())).rejects.toThrow(
      'PostgreSQL refuses this service (database "no_such_database" does not exist): correct DATABASE_URL, or what it names',
    );
    url.password = 'wrong';
    await expect(checkDatabase(url.toString())).rejects.toThrow(
      /^PostgreSQL refuses this service \(password authentication failed.*\): correct DATABASE_URL/,
    );
  });

  it('that speaks no TLS where TLS is asked for is refused in words', async () => {
    const url = new URL(test.url);
    url.searchParams.set('sslmode', 'verify-full');
    await expect(checkDatabase(url.toString())).rejects.toThrow(
      /^PostgreSQL cannot be reached by TLS \(.*\): .*sslmode/,
    );
  });

  it('that an URL names which is none is refused, without its password', async () => {
    const look = checkDatabase('postgres://parley:s3cret@127.0.0.1:port/x');
    await expect(look).rejects.toThrow(/^DATABASE_URL cannot be used.*: write it as postgres:\/\/role:password@host/);
    await expect(look).rejects.not.toThrow('s3cret');
  });

  it('that is away is away, and not unfit', async () => {
    await expect(checkDatabase('postgres://127.0.0.1:1/x')).rejects.toThrow(Unavailable);
  });
});

describe('the facts', () => {
  const fit: DatabaseFacts = {
    versionNumber: 140_000,
    version: '14.0',
    encoding: 'UTF8',
    isStandby: false,
    isReadOnly: false,
  };

  it.each([
    [fit, null],
    [{ ...fit, versionNumber: 180_001, version: '18.1' }, null],
    [
      { ...fit, versionNumber: 130_022, version: '13.22 (Debian)' },
      /^PostgreSQL 13\.22 \(Debian\), .*: upgrade it to 14/,
    ],
    [{ ...fit, versionNumber: 90_624, version: '9.6.24' }, /upgrade it to 14/],
    [{ ...fit, encoding: 'SQL_ASCII' }, /in SQL_ASCII/],
    [{ ...fit, isStandby: true, isReadOnly: true }, /^a standby, which takes no writes: name the primary$/],
  ])('%j', (facts, unfit) => {
    if (unfit === null) expect(whyUnfit(facts)).toBeNull();
    else expect(whyUnfit(facts)).toMatch(unfit);
  });
});

describe('pgbouncer', () => {
  it.each([
    ['transaction', []],
    ['transaction', ['default_pool_size = 1']],
    ['transaction', ['server_round_robin = 1', 'min_pool_size = 5']],
    ['statement', []],
  ] as const)(
    'by %s (%j) is refused: locks would not hold',
    async (mode, settings) => {
      const pgbouncer = await startPgbouncer(test.url, mode, settings);
      try {
        const look = checkDatabase(pgbouncer.url);
        await expect(look).rejects.toThrow(/^DATABASE_URL names a pooler .*: set its pool_mode to session/);
      } finally {
        await pgbouncer.stop();
      }
    },
    installedWithinMs,
  );

  it(
    'by session will do, also for the pool and for the migrations',
    async () => {
      const pgbouncer = await startPgbouncer(test.url, 'session');
      try {
        await expect(checkDatabase(pgbouncer.url)).resolves.toBeUndefined();
        const database = await openTallies(pgbouncer.url);
        const [limit] = await database.query<{ statement_timeout: string }>('SHOW statement_timeout');
        expect([await database.answers(), limit?.statement_timeout]).toEqual([true, '30s']);
        await database.close();
      } finally {
        await pgbouncer.stop();
      }
    },
    installedWithinMs,
  );
});
