import { SqlExecutor } from '@app/http';
import { Pool } from 'pg';

/** PostgreSQL behind the port that the HTTP core declares. */
export class PoolExecutor extends SqlExecutor {
  /** The number of statements sent so far. */
  calls = 0;
  private readonly pool: Pool;

  constructor(url: string, connections = 4) {
    super();
    this.pool = new Pool({ connectionString: url, max: connections });
    // Dropping a database breaks its connections, which may end only after the pool has.
    this.pool.on('error', () => undefined);
  }

  async query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    this.calls += 1;
    // Reason for the assertion: the caller names the row type of its own statement.
    return (await this.pool.query(sql, [...parameters])).rows as Row[];
  }

  async end(): Promise<void> {
    await this.pool.end();
  }
}
