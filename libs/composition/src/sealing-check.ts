import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '@app/read-store';
import { Sealing } from '@app/runtime';
import { Configuration } from '@app/settings';
import { CannotStart } from './start-failures';

/** Tables whose values are sealed under PARLEY_SECRET_KEY; nothing else in the stores is lost with the key. */
const sealedTables = ['wallet_keys', 'webhook_keys', 'webhook_endpoint_keys'] as const;
const label = 'parley/sealing-check/1';
const boundTo = 'sealing_check';

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

/** Stops a start whose secret key cannot open the stored secrets, before one is needed. @throws CannotStart */
export async function checkSealing(database: Database, configuration: Configuration): Promise<void> {
  const sealing = new Sealing(configuration, label);
  const value = sealing.seal(Buffer.from(label), boundTo);
  // When two processes start at once, the first stores the value, and the other one compares with it.
  await database.query('INSERT INTO sealing_check (sealed) VALUES ($1) ON CONFLICT DO NOTHING', [value]);
  const [stored] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM sealing_check');
  if (stored === undefined || opens(sealing, stored.sealed)) return;
  if (await holdsSealed((sql) => database.query(sql)))
    throw new CannotStart(
      'PARLEY_SECRET_KEY (or secrets.json) belongs to other data: it does not open the wallet keys and webhook secrets ' +
        'that are stored here; give the service the key that they were sealed with',
    );
  await database.query('UPDATE sealing_check SET sealed = $1', [value]);
}

/** Whether the secret key opens the sealed values in a database of this version; true when there are none. Changes nothing. */
export async function opensSealed(database: Database, configuration: Configuration): Promise<boolean> {
  const [stored] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM sealing_check');
  if (stored === undefined || opens(new Sealing(configuration, label), stored.sealed)) return true;
  return !(await holdsSealed((sql) => database.query(sql)));
}

function opens(sealing: Sealing, sealed: Buffer): boolean {
  try {
    sealing.open(sealed, boundTo);
    return true;
  } catch {
    // AES-GCM gives no further reason.
    return false;
  }
}

/** Whether a database holds secrets sealed under PARLEY_SECRET_KEY; one without the product's tables holds none. */
export async function holdsSealed(query: (sql: string) => Promise<readonly object[]>): Promise<boolean> {
  for (const table of sealedTables) {
    const [there] = await query(`SELECT 1 FROM pg_class WHERE oid = to_regclass('${table}')`);
    if (there !== undefined && (await query(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0) return true;
  }
  return false;
}
