import { Unavailable } from '@app/kernel';
import pg, { type Client, type Pool, type QueryResultRow } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { ColumnNames } from './columns';
import { LeaderSession } from '../leading/leader-session';
import { LiveTables, type NamedStatement } from './live-tables';
import { migrationClasses, type Migration } from './migration';
import type { AnyProjection } from '../read-models/projection';
import { answering, isMissingTable } from '../postgres/postgres-errors';
import { WatchedConnections } from '../postgres/silent-servers';
import type { Statement } from '../postgres/statement';

const tooMany = new Error('too many statements wait for a connection');

export type RowClass = new () => object;

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
      if (named.text === sql || !isMissingTable(error)) throw error;
      await this.tables.look();
      return this.run(this.tables.inStatement(sql), parameters, preparedAs);
    }
  }

  /** Returns the sum of counters of a read model, such as the length of a list. Throws as `query`. */
  async counted(table: string, counters: readonly string[]): Promise<number> {
    const [row] = await this.query<{ readonly total: number }>(
      `SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters, unnest($1::text[]) AS counted
       WHERE name = '{${table}}/' || counted`,
      [counters],
      `${table}.total`,
    );
    return row?.total ?? 0;
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
