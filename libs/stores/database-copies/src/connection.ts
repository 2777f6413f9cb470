import { Client } from 'pg';

/** A database cannot be copied to where it was to go; the message says why. */
export class CannotCopy extends Error {}

/** A server that accepts and says nothing is given up. */
const connectWithinMs = 5_000;

/** A connection to a database, which the caller ends. @throws CannotCopy where it cannot be had */
export async function connect(connectionString: string): Promise<Client> {
  const connectionTimeoutMillis = connectWithinMs;
  const client = new Client({ connectionString, connectionTimeoutMillis, application_name: 'parley copies' });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new CannotCopy(`PostgreSQL does not let us in: ${error instanceof Error ? error.message : String(error)}`);
  }
}
