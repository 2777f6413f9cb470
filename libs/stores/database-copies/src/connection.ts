import { Client } from 'pg';

/** A database cannot be copied to its target; the message says why. */
export class CannotCopy extends Error {}

/** A server that accepts the connection and stays silent is given up after this time. */
const connectWithinMs = 5_000;

/** Connects to a database; the caller must end the connection. @throws CannotCopy when connecting fails */
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
