import { createHmac } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { ensureDatabase } from './databases';

interface Role {
  readonly name: string;
  readonly password: string;
}

/** The same at every start, so that URLs stay valid across restarts; the superuser's password cannot be derived from it. */
export function rolePassword(superuserPassword: string, role: string): string {
  return createHmac('sha256', superuserPassword).update(`role ${role}`).digest('base64url');
}

/**
 * Creates the role, without any right outside its own database, and the database, which it owns with everything in it.
 * @param url returns the superuser's URL of a database
 */
export async function ensureOwned(url: (database: string) => string, database: string, role: Role): Promise<void> {
  await ensureDatabase(url('postgres'), database);
  await asSuperuser(url(database), async (client) => {
    const name = escapeIdentifier(role.name);
    const found = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role.name]);
    if (found.rowCount === 0) await client.query(`CREATE ROLE ${name}`);
    const rights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    await client.query(`ALTER ROLE ${name} ${rights} PASSWORD ${escapeLiteral(role.password)}`);
    await client.query(`ALTER DATABASE ${escapeIdentifier(database)} OWNER TO ${name}`);
    for (const statement of await handingOver(client, role.name)) await client.query(statement);
  });
}

/**
 * Returns a statement for each object of another role, except the system's, that hands it over; REASSIGN OWNED refuses for the first
 * superuser.
 */
async function handingOver(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `WITH schemas AS (
       SELECT oid, nspname, nspowner FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'),
     others AS (
       SELECT 1 AS step, format('SCHEMA %I', nspname) AS what, nspowner AS owner FROM schemas WHERE nspname <> 'public'
       UNION ALL
       -- Indexes and the sequences of columns go with their tables.
       SELECT 2, format(CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END
         || ' %I.%I', s.nspname, c.relname), c.relowner
       FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'v', 'm') OR c.relkind = 'S' AND NOT EXISTS (
         SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i'))
       UNION ALL
       SELECT 3, format('ROUTINE %s', p.oid::regprocedure), p.proowner
       FROM pg_proc p JOIN schemas s ON s.oid = p.pronamespace
       UNION ALL
       SELECT 4, format('TYPE %I.%I', s.nspname, t.typname), t.typowner
       FROM pg_type t JOIN schemas s ON s.oid = t.typnamespace WHERE t.typtype IN ('e', 'd'))
     SELECT format('ALTER %s OWNER TO %I', what, $1::text) AS statement FROM others
     WHERE owner <> (SELECT oid FROM pg_roles WHERE rolname = $1) ORDER BY step`,
    [role],
  );
  return rows.map(({ statement }) => statement);
}

async function asSuperuser(url: string, body: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await body(client);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
