import type { Client } from 'pg';

/** Rows of a table that PostgreSQL refuses. */
export interface Refused {
  readonly table: string;
  readonly on: 'INSERT' | 'UPDATE';
  /** A condition on `NEW` and `OLD`, over members that are stored in clear: words of persons are sealed in every row. */
  readonly when: string;
}

/** Makes PostgreSQL refuse such rows, and returns a function that lets it take them again. */
export async function refuseRows(admin: Client, { table, on, when }: Refused): Promise<() => Promise<unknown>> {
  const name = `refuse_${table}`;
  await admin.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
     CREATE TRIGGER ${name} BEFORE ${on} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
  );
  return () => admin.query(`DROP TRIGGER ${name} ON ${table}; DROP FUNCTION ${name}`);
}
