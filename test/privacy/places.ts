import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteScan, type MarkedWords } from '@app/testing/words';
import { Client } from 'pg';
import { metricsOf, type WordsStage } from './stage';

/** A table, or `schema.table`, and how many of its rows hold a word. */
interface RowsFound {
  readonly table: string;
  readonly rows: number;
}

/** Runs statements on the deployment's database. */
export async function onDatabase<Value>(
  { deployment }: Pick<WordsStage, 'deployment'>,
  body: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = new Client({ connectionString: deployment.databaseUrl, application_name: 'words' });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/**
 * Looks for words in every byte that the deployment has written: PostgreSQL's data folder, which holds the event store, with its
 * write-ahead log after a checkpoint, the data folder with artifacts, logs, traces, metrics, temporary files and a new backup.
 */
export async function scanned(stage: WordsStage, words: MarkedWords, backup: string): Promise<ByteScan> {
  const { folders, deployment, collector } = stage;
  const scan = new ByteScan(words);
  await mkdir(folders.backups, { recursive: true });
  const to = join(folders.backups, backup);
  const { code, stderr } = await stage.run('backup', '--to', to, '--keys-to', `${to}.keys`);
  const refusal = expect.stringContaining('back the event store up with its own tools') as unknown;
  expect([code, stderr]).toEqual(folders.eventStore === null ? [0, expect.any(String)] : [1, refusal]);
  await onDatabase(stage, (client) => client.query('CHECKPOINT'));
  await scan.scanFolder('PostgreSQL', folders.postgres);
  if (folders.eventStore !== null) await scan.scanFolder('event store', folders.eventStore);
  await scan.scanFolder('data folder', folders.data);
  await scan.scanFolder('logs', folders.logs);
  await scan.scanFolder('temporary files', folders.temporary);
  await scan.scanFolder('backup', folders.backups);
  scan.scan('logs', 'the event store', deployment.eventStore?.output ?? '');
  scan.scan('traces', 'what the collector got', collector.text);
  scan.scan('metrics', 'all processes', await metricsOf(deployment));
  return scan;
}

/** The tables of all schemas with rows that hold a word, as PostgreSQL shows them: a value may be cut into pieces in its files. */
export async function rowsWith(stage: WordsStage, { prefix }: MarkedWords): Promise<RowsFound[]> {
  return onDatabase(stage, async (client) => {
    // The statements below have a word as parameter.
    await client.query("SET log_statement = 'none'; SET log_min_error_statement = 'panic'");
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: RowsFound[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${name} AS t WHERE position($1 in t::text) > 0 OR position($2 in t::text) > 0`,
        [prefix, Buffer.from(prefix).toString('hex')],
      );
      const count = rows[0]?.count ?? 0;
      if (count > 0) found.push({ table: name, rows: count });
    }
    return found;
  });
}

/** How much was read where, for the output of a test. */
export function megabytes({ bytes }: ByteScan): string {
  return [...bytes].map(([kind, count]) => `${kind} ${(count / 1024 ** 2).toFixed(1)} MB`).join(', ');
}
