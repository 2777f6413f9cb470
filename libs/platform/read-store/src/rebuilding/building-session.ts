import { heldConnection, noticeLostClient } from '@app/kernel';
import { Client } from 'pg';
import { endConnection } from '../postgres/silent-servers';
import { answering } from '../postgres/postgres-errors';
import type { Execute } from '../postgres/statement';

const connectTimeoutMs = 5_000;

/** The connection on which tables are built. It is not one of the pool's, because statements may take long and COPY cannot be pipelined. */
export class BuildingSession {
  private constructor(readonly client: Client) {}

  /** Connects. Throws Unavailable. */
  static async open(url: string): Promise<BuildingSession> {
    const client = new Client({
      connectionString: url,
      application_name: 'parley rebuild',
      connectionTimeoutMillis: connectTimeoutMs,
      ...heldConnection,
    });
    client.on('error', () => undefined); // the running statement fails with it
    await answering(() => client.connect());
    // After a crash of PostgreSQL, lost writes of a table that is being built are folded again.
    await answering(() => client.query(`${noticeLostClient}; SET statement_timeout = 0; SET synchronous_commit = off`));
    return new BuildingSession(client);
  }

  /** Runs one statement. Throws Unavailable when PostgreSQL does not answer. */
  readonly execute: Execute = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    // Reason for the assertion: the caller names the columns that its statement returns.
    (await answering(() => this.client.query(sql, [...parameters]))).rows as Row[];

  /** Runs the body in one transaction; a throw rolls it back. */
  async transaction<Value>(body: () => Promise<Value>, begin = 'BEGIN'): Promise<Value> {
    await this.execute(begin);
    try {
      const value = await body();
      await this.execute('COMMIT');
      return value;
    } catch (error) {
      await this.execute('ROLLBACK').catch(() => undefined); // the connection is lost, and the transaction with it
      throw error;
    }
  }

  async close(): Promise<void> {
    await endConnection(this.client);
  }
}
