import { Injectable, type OnModuleInit } from '@nestjs/common';
import { forgetLogSeed, keepLogSeed } from '@app/audit';
import { Database } from '@app/read-store';
import { Sealing, secretKeysIn } from '@app/runtime';
import { Configuration } from '@app/settings';
import { irreplaceableTables, sealingCheckTable } from './sealed-tables';
import { CannotStart } from './start-failures';

const { label, table: boundTo } = sealingCheckTable;

/** Checks the key before anything of the process runs. */
@Injectable()
export class SealingCheck implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
  ) {}

  /** @throws CannotStart */
  async onModuleInit(): Promise<void> {
    await checkSealing(this.database, this.configuration);
  }
}

/**
 * Stops a start whose secret key cannot open the stored secrets, before one is needed, and stores the seed of the log's key where it is
 * missing. @throws CannotStart
 */
export async function checkSealing(database: Database, configuration: Configuration): Promise<void> {
  const sealing = new Sealing(configuration, label);
  const value = sealing.seal(Buffer.from(label), boundTo);
  // When two processes start at once, the first stores the value, and the other one compares with it.
  await database.query('INSERT INTO sealing_check (sealed) VALUES ($1) ON CONFLICT DO NOTHING', [value]);
  if (await keepSeed(database, configuration)) return;
  if (await holdsSealed((sql) => database.query(sql)))
    throw new CannotStart(
      'PARLEY_SECRET_KEY (or secrets.json) belongs to other data: it does not open the wallet keys and webhook secrets ' +
        'that are stored here; give the service the key that they were sealed with, behind a new one if you change it ' +
        '(docs/production.md, "Change the secret key")',
    );
  await forgetLogSeed(database);
  await database.query('UPDATE sealing_check SET sealed = $1', [value]);
  await keepSeed(database, configuration);
}

/**
 * Stores the seed of the log's key, unless there is one: derived from the entry that all is sealed with here, wherever in the list it is.
 * Returns false if no entry is that.
 */
export async function keepSeed(database: Database, configuration: Configuration): Promise<boolean> {
  const [stored] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM sealing_check');
  const opened = stored && new Sealing(configuration, label).openWithEntry(stored.sealed, boundTo);
  const secret = opened && secretKeysIn(configuration.env.PARLEY_SECRET_KEY ?? '')[opened.entry];
  if (secret == null) return false;
  await keepLogSeed(database, configuration, secret);
  return true;
}

/** Whether the secret key opens the sealed values in a database of this version; true when there are none. Changes nothing. */
export async function opensSealed(database: Database, configuration: Configuration): Promise<boolean> {
  const [stored] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM sealing_check');
  if (stored === undefined || new Sealing(configuration, label).openWithEntry(stored.sealed, boundTo) !== null)
    return true;
  return !(await holdsSealed((sql) => database.query(sql)));
}

/** Whether a database holds secrets sealed under PARLEY_SECRET_KEY; one without the product's tables holds none. */
export async function holdsSealed(query: (sql: string) => Promise<readonly object[]>): Promise<boolean> {
  for (const { table, value } of irreplaceableTables) {
    const [there] = await query(`SELECT 1 FROM pg_class WHERE oid = to_regclass('${table}')`);
    if (there !== undefined && (await query(`SELECT 1 FROM ${table} WHERE ${value} IS NOT NULL LIMIT 1`)).length > 0)
      return true;
  }
  return false;
}
