import { heldConnection, noticeLostClient } from '@app/kernel';
import { Client } from 'pg';
import { answering } from './database';
import { endConnection } from './silent-servers';
import type { Execute } from './table-making';

const connectTimeoutMs = 5_000;

/** The connection on which tables are built: one of its own, since statements may take long, and since COPY cannot be pipelined. */
export class BuildingSession {
  private constructor(readonly client: Client) {}

  /** Throws Unavailable. */
  static async open(url: string): Promise<BuildingSession> {
    const client = new Client({
      connectionString: url,
      application_name: 'parley rebuild',
      connectionTimeoutMillis: connectTimeoutMs,
      ...heldConnection,
    });
    client.on('error', () => undefined); // the statement under way fails with it
    await answering(() => client.connect());
    // What a crash takes back of a table that is being built is folded again.
    await answering(() => client.query(`${noticeLostClient}; SET statement_timeout = 0; SET synchronous_commit = off`));
    return new BuildingSession(client);
  }

  /** Runs one statement. Throws Unavailable when PostgreSQL does not answer. */
  readonly execute: Execute = async <Row>(sql: string, parameters: readonly unknown[] = []) =>
    // Reason for the assertion: the caller names the columns that its statement answers.
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
