import { TookTooLong, Unavailable } from '@app/kernel';
import pg, { type Client, type Pool, type QueryResultRow } from 'pg';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { ColumnNames } from './columns';
import { LeaderSession } from './leader-session';
import { LiveTables, type NamedStatement } from './live-tables';
import { migrationClasses, type Migration } from './migration';
import type { AnyProjection } from './projection';
import { ReactorCheckpoints } from './reactor-checkpoints';
import { ReactorLags } from './reactor-lags';
import { WatchedConnections } from './silent-servers';

const tooMany = new Error('too many statements wait for a connection');

export type RowClass = new () => object;

/** One statement with positional parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  /** Projections whose live tables replace read model names in statements; without any, each name means its first table. */
  readonly projections?: readonly AnyProjection[];
  /** How long one statement may take; 30 s when absent. */
  readonly timeoutMs?: number;
}

/** How long a caller waits for a connection of the pool, and how long one statement may take. */
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 30_000;
/** Statements that may wait for a connection; beyond it the process is far behind, and the next statement is refused at once. */
const waitingStatementsMax = 5_000;
/** PostgreSQL cancels a statement that takes too long; its error may arrive this much later. */
const answerGraceMs = 1_000;
/** How long one statement waits for a lock, so that a session that holds a table blocks nothing else along with it. */
const lockTimeoutMs = 10_000;
/** A process that hangs in the middle of a transaction keeps its row locks no longer than this. */
const idleInTransactionTimeoutMs = 10_000;

/** PostgreSQL: read models, and operational rows that do not come from events (slots, leases, counters, snapshots). */
export class Database {
  /** Holds the locks of everything that this process leads. */
  readonly leaderSession: LeaderSession;
  readonly reactorCheckpoints = new ReactorCheckpoints(this);
  readonly reactorLags = new ReactorLags();
  /** The tables that statements read where they name read models. */
  readonly tables: LiveTables;

  private constructor(
    readonly source: DataSource,
    /** For connections outside the pool: LISTEN, and locks that are held long. */
    readonly url: string,
    private readonly connections: WatchedConnections,
    projections: readonly AnyProjection[],
  ) {
    this.leaderSession = new LeaderSession(url);
    const tableOf = ({ row }: AnyProjection) => source.getMetadata(row).tableName;
    this.tables = new LiveTables((sql) => this.query(sql), projections, tableOf);
  }

  private get pool(): Pool {
    // Reason for the assertion: the pool of TypeORM's PostgreSQL driver is one of `pg`, typed `any` there.
    return (this.source.driver as unknown as { readonly master: Pool }).master;
  }

  /** Connects. Throws Unavailable when PostgreSQL does not answer, and an Error when two migrations have the same number. */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const { timeoutMs = statementTimeoutMs } = options;
    const connections = new WatchedConnections(timeoutMs + answerGraceMs);
    const source = new DataSource({
      type: 'postgres',
      driver: pg, // otherwise TypeORM loads a second copy of it in addition to the bundled one
      url: options.url,
      entities: [...options.rows],
      namingStrategy: new ColumnNames(),
      migrations: migrationClasses(options.migrations),
      migrationsTableName: 'schema_migrations',
      migrationsTransactionMode: 'each',
      poolSize: options.poolSize,
      parseInt8: true,
      applicationName: 'parley',
      extra: {
        pipeline: true, // for `all`; a caller that awaits each statement notices nothing
        connectionTimeoutMillis: connectTimeoutMs,
        onConnect: async (client: Client) => {
          // Without a listener, a connection that breaks between two statements would end the process.
          connections.watch(client.on('error', () => undefined));
          await limitStatements(client, timeoutMs);
        },
      },
    });
    return answering(async () => {
      const { url, projections = [] } = options;
      return new Database(await source.initialize(), url, connections, projections);
    });
  }

  /**
   * Runs one statement with positional parameters. Names of read models in braces are replaced by their live tables: `FROM {runs}`.
   * Throws Unavailable when PostgreSQL does not answer, too many statements wait for it, or a read model is still being built.
   * @param preparedAs keeps the statement prepared under this name, which must identify this text only; for statements that every request
   * runs. Its columns must be listed one by one, because they may not change while it is prepared.
   */
  async query<Row>(sql: string, parameters: readonly unknown[] = [], preparedAs?: string): Promise<Row[]> {
    if (this.pool.waitingCount >= waitingStatementsMax) throw new Unavailable('database', { cause: tooMany });
    const named = this.tables.inStatement(sql);
    try {
      return await this.run(named, parameters, preparedAs);
    } catch (error) {
      // A process that was suspended for long may have missed that another table is live now.
      if (named.text === sql || !(error instanceof pg.DatabaseError && error.code === undefinedTable)) throw error;
      await this.tables.look();
      return this.run(this.tables.inStatement(sql), parameters, preparedAs);
    }
  }

  /**
   * Returns the statement with the live table of each read model that it names in braces, to be run in a transaction. Throws as `query`.
   */
  inTables(sql: string): string {
    return this.tables.inStatement(sql).text;
  }

  private async run<Row>(
    { text, suffix }: NamedStatement,
    parameters: readonly unknown[],
    preparedAs?: string,
  ): Promise<Row[]> {
    const name = preparedAs !== undefined && { name: preparedAs + suffix };
    const statement = { text, values: [...parameters], ...name };
    // Straight to the pool: TypeORM's own `query` costs more, and returns pairs for UPDATE and DELETE.
    return answering(async () => (await this.pool.query<Row & QueryResultRow>(statement)).rows);
  }

  /** Runs the body in one transaction; a throw rolls it back. Throws Unavailable when PostgreSQL does not answer. */
  async transaction<Value>(body: (manager: EntityManager) => Promise<Value>): Promise<Value> {
    return answering(() => this.source.transaction(body));
  }

  /**
   * Runs statements in one transaction, all or none of them, and sends them at once: they wait for one answer instead of one each.
   * Throws the error of the first statement that fails, and Unavailable when PostgreSQL does not answer.
   */
  async all(statements: readonly Statement[]): Promise<void> {
    if (this.pool.waitingCount >= waitingStatementsMax) throw new Unavailable('database', { cause: tooMany });
    await answering(async () => {
      const client = await this.pool.connect();
      const sent = [{ text: 'BEGIN', values: [] }, ...statements, { text: 'COMMIT', values: [] }];
      const answers = await Promise.allSettled(sent.map(({ text, values }) => client.query(text, [...values])));
      const failure = answers.find((answer) => answer.status === 'rejected');
      // After an error response, COMMIT acted as ROLLBACK; without a response the connection is unusable.
      client.release(failure !== undefined && !(failure.reason instanceof pg.DatabaseError));
      if (failure !== undefined) throw failure.reason;
    });
  }

  /** Whether PostgreSQL answers and accepts writes. */
  async answers(): Promise<boolean> {
    try {
      const [state] = await this.query<{ writes: boolean }>(
        `SELECT current_setting('transaction_read_only') = 'off' AS writes`,
      );
      return state?.writes === true;
    } catch {
      // Any failure has the same consequence here: the database cannot be used now.
      return false;
    }
  }

  /** From now on nothing waits longer than this for a response of PostgreSQL; for a process that is shutting down. */
  expectWithin(silenceMs: number): void {
    this.connections.expectWithin(silenceMs);
  }

  /** Ends the connections, even if PostgreSQL does not answer. */
  async close(): Promise<void> {
    await this.connections.end(this.source.destroy());
  }
}

/** Uses statements, because a pooler such as pgbouncer refuses these settings as connection parameters. */
async function limitStatements(client: Client, timeoutMs: number): Promise<void> {
  await client.query(
    `SET statement_timeout = ${timeoutMs}; SET lock_timeout = ${lockTimeoutMs}; SET idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`,
  );
}

// Connection failures (class 08), a server that became read-only, as in a failover (25006), shutdown and start-up (57P0x), too many
// connections (53300), broken sockets; and a transaction that was rolled back so that others could go on (class 40). A retry may well
// succeed.
const awayCodes =
  /^(08...|25006|40001|40P01|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/;
// Messages of `pg` without a code; and PostgreSQL's, with an ambiguous code, for a database that an administrator has closed to
// connections.
const awayMessages =
  /not currently accepting connections|connection terminated|timeout exceeded when trying to connect|timeout expired|query read timeout|not queryable/i;

/** PostgreSQL's code for a table that does not exist. */
const undefinedTable = '42P01';
/** PostgreSQL's codes for a statement that it cancelled: after `statement_timeout` or `lock_timeout`. */
const endedCodes: ReadonlySet<string> = new Set(['57014', '55P03']);

/**
 * Runs the body. Turns errors that mean "PostgreSQL does not answer" or "not this time" into Unavailable, and those of a statement that
 * PostgreSQL cancelled into TookTooLong.
 */
export async function answering<Value>(body: () => Promise<Value>): Promise<Value> {
  try {
    return await body();
  } catch (error) {
    throw asUnavailable(error) ?? error;
  }
}

function asUnavailable(error: unknown): Unavailable | null {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (typeof cause !== 'object' || cause === null) return null;
  const code = 'code' in cause ? String(cause.code) : '';
  const message = 'message' in cause ? String(cause.message) : '';
  if (endedCodes.has(code)) return new TookTooLong('database', { cause: error });
  const isAway = awayCodes.test(code) || awayMessages.test(message);
  return isAway ? new Unavailable('database', { cause: error }) : null;
}
