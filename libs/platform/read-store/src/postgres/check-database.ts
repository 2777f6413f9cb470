import { Unavailable } from '@app/kernel';
import { Client } from 'pg';
import { endConnection } from './silent-servers';
import { answering } from './postgres-errors';

/**
 * PostgreSQL answers, but cannot carry the service as it is. The message states what is wrong and what to do; it is complete without a
 * stack.
 */
export class UnfitDatabase extends Error {}

const lookWithinMs = 5_000;
/** PostgreSQL 14, the first version with `idle_session_timeout`, by which a leader that hangs loses its lock. */
const oldestVersion = 140_000;
const lookedAtTimes = 3;

export interface DatabaseFacts {
  /** The value of `server_version_num`: 140000 is version 14.0. */
  readonly versionNumber: number;
  /** The version in PostgreSQL's display format. */
  readonly version: string;
  readonly encoding: string;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/**
 * Checks once, before anything is created there, whether a database can carry the service (docs/decisions/configuration-and-start.md,
 * "Start").
 * @param namedBy the setting that names the database, for the message
 * @throws UnfitDatabase; Unavailable when it does not answer; PostgreSQL's own error when it refuses the role
 */
export async function checkDatabase(url: string, namedBy = 'DATABASE_URL'): Promise<void> {
  const look = () =>
    withClients(url, namedBy, async (one, other) => {
      const unfit = whyUnfit(await factsOf(one)) ?? ((await sharesBackends(one, other)) ? perTransaction : null);
      if (unfit !== null) throw new UnfitDatabase(`${namedBy} names ${unfit}`);
    });
  // A start on a busy machine may load modules for seconds, during which this process reads no answer: then the limit has passed, and the
  // database did answer.
  const lookAgain = (error: unknown) => {
    if (error instanceof Unavailable) return look();
    throw error;
  };
  await look()
    .catch(lookAgain)
    .catch((error: unknown) => {
      throw refusalOf(error, namedBy);
    });
}

/** PostgreSQL's codes for a wrong role, password, database or right; their messages contain no secret. */
const refusedCodes = /^(28...|3D000|42501)$/;
/** Node's codes for a certificate that it does not trust, and `pg`'s message for a server without TLS. */
const tlsTrouble = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|does not support SSL/;

/** Returns an UnfitDatabase with advice if only a wrong setting can be the cause; otherwise the error itself. */
function refusalOf(error: unknown, namedBy: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (refusedCodes.test(code))
    return new UnfitDatabase(
      `PostgreSQL refuses this service (${error.message}): correct ${namedBy}, or what it names`,
    );
  if (tlsTrouble.test(code) || tlsTrouble.test(error.message))
    return new UnfitDatabase(
      `PostgreSQL cannot be reached by TLS (${error.message}): name the authority of its certificate with sslrootcert in ${namedBy}, or correct sslmode`,
    );
  return error;
}

const perTransaction =
  'a pooler that hands out its connections by transaction, so that locks and LISTEN are lost in between: ' +
  'set its pool_mode to session, or name PostgreSQL itself';

/** Returns why a database is unfit, and what to do about it; null if it is fit. */
export function whyUnfit({ versionNumber, version, encoding, isStandby, isReadOnly }: DatabaseFacts): string | null {
  if (versionNumber < oldestVersion) return `PostgreSQL ${version}, which is too old: upgrade it to 14 or newer`;
  if (encoding !== 'UTF8')
    return `a database in ${encoding}, which cannot hold every text: name one that was made WITH ENCODING 'UTF8' TEMPLATE template0`;
  if (isStandby) return 'a standby, which takes no writes: name the primary';
  if (isReadOnly)
    return 'a database that takes no writes (default_transaction_read_only is on): set it to off, or name another';
  return null;
}

async function factsOf(client: Client): Promise<DatabaseFacts> {
  const { rows } = await client.query<DatabaseFacts>(
    `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isStandby",
       current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('PostgreSQL says nothing of itself');
  return facts;
}

/**
 * Whether one client gets several backends, or two clients the same one: then a pooler assigns backends by transaction (or by statement, if
 * no transaction can begin). While the other client holds a backend, a pooler must give this one a different one.
 */
async function sharesBackends(one: Client, other: Client): Promise<boolean> {
  const first = await backendOf(one);
  for (let looked = 0; looked < lookedAtTimes; looked += 1) {
    if (!(await begins(other))) return true;
    if ((await backendOf(other)) === first || (await backendOf(one)) !== first) return true;
    await other.query('ROLLBACK');
    if ((await backendOf(one)) !== first) return true;
  }
  return false;
}

async function begins(client: Client): Promise<boolean> {
  try {
    await client.query('BEGIN');
    return true;
  } catch (error) {
    // The message of pgbouncer with pool_mode = statement, which has no code of its own.
    if (error instanceof Error && error.message.includes('transaction blocks not allowed')) return false;
    throw error;
  }
}

async function backendOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

async function withClients(
  url: string,
  namedBy: string,
  body: (one: Client, other: Client) => Promise<void>,
): Promise<void> {
  const [one, other] = [newClient(url, namedBy), newClient(url, namedBy)];
  await answering(async () => {
    try {
      await one.connect();
      await other.connect();
      await body(one, other);
    } finally {
      // A server that hangs does not answer the end of a connection.
      await Promise.all([endConnection(one), endConnection(other)]);
    }
  });
}

function newClient(url: string, namedBy: string): Client {
  try {
    const client = new Client({
      connectionString: url,
      application_name: 'parley look',
      connectionTimeoutMillis: lookWithinMs,
      query_timeout: lookWithinMs,
    });
    client.on('error', () => undefined); // the running statement, if any, fails with it
    return client;
  } catch (error) {
    // Not a URL, or it names a certificate file that does not exist: the message contains no password.
    const found = error instanceof Error ? ` (${error.message})` : '';
    throw new UnfitDatabase(
      `${namedBy} cannot be used${found}: write it as postgres://role:password@host:5432/database, special characters percent-encoded`,
    );
  }
}
