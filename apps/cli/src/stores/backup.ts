import { holdingStatements, type LogHold } from '@app/audit';
import { readDotEnv, readStore } from '@app/composition';
import { restoreBackup, takeBackup, type OnProgress } from '@app/database-copies';
import { readConfiguration, type Configuration } from '@app/settings';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Database, migrate, readStoreMigrations } from '@app/read-store';
import { refuseElsewhere, refuseUncopiable } from './backup-source';
import { endTidily, openEmbeddedDatabase, type OpenDatabase } from './migration-source';
import { namedStores } from './named-stores';
import { CommandFailed, leftOutLines } from '../terminal/outcome';
import { print } from '../terminal/output';
import { placeInWords } from '../terminal/place-in-words';
import { showProgress } from '../terminal/progress';
import { makeEventTables } from './copy-database';

const steps = { backup: 'copying', restore: 'restoring' } as const;

function progressOf(step: keyof typeof steps): OnProgress {
  return (what, total) => showProgress(`${steps[step]} ${what}`, total, what);
}

/** `parley backup` (docs/production.md, "Backups"). */
export function backupCommand(program: Command): void {
  program
    .command('backup')
    .description(
      'copy both embedded stores, artifacts and secrets into an empty folder, of one instant, while the service runs',
    )
    .requiredOption('--to <folder>', 'an empty folder, or one to make')
    .action(async ({ to }: { to: string }, command: Command) => {
      readDotEnv();
      const configuration = readConfiguration(process.env);
      const { databaseUrl, eventStoreUrl, close } = await openBackedUp(configuration);
      try {
        await refuseUncopiable(eventStoreUrl, databaseUrl);
        const { PARLEY_DATA_DIR: dataDir } = configuration.env;
        const { tables, ...manifest } = await takeBackup({ databaseUrl, dataDir, to }, progressOf('backup'));
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        const { events, position, artifacts, secrets } = manifest;
        print(command, { to, ...manifest, tables: tables.length, rows }, [
          `${rows} rows of ${tables.length} tables and ${artifacts} artifacts are in ${to}: ${events} events, up to position ${position}.`,
          `They are of ${placeInWords(databaseUrl)} and ${dataDir}.`,
          secrets && configuration.env.PARLEY_SECRET_KEY === undefined
            ? 'Its secrets.json opens the wallet keys in it: keep it as safe as the money.'
            : 'PARLEY_SECRET_KEY is not in it: keep it in another place, the wallet keys in the backup open with it only.',
        ]);
      } finally {
        await close();
      }
    });
}

/** `parley restore` (docs/production.md, "Backups"). */
export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('make a data folder (PARLEY_DATA_DIR) of a backup, and compare every table with what it was taken of')
    .requiredOption('--from <folder>', 'what parley backup has made')
    .action(async ({ from }: { from: string }, command: Command) => {
      readDotEnv();
      const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY: secretKey } = readConfiguration(process.env).env;
      const hasSecretKey = secretKey !== undefined;
      const { tables, ...manifest } = await restoreBackup(
        { from, dataDir, hasSecretKey, ...backedUpSchema, mark: holdingStatements(restoredHold(from)) },
        progressOf('restore'),
      );
      print(command, { dataDir, ...manifest, tables: tables.length }, [
        `${dataDir} holds what the service had at ${manifest.takenAt}: ${manifest.events} events, up to position ${manifest.position}.`,
        ...leftOutLines(manifest.leftOut),
        ...(manifest.secrets || hasSecretKey
          ? []
          : [
              'Set PARLEY_SECRET_KEY to the key of the service first: the wallet keys in the backup open with it only.',
            ]),
        'Start the service: it works, and its log signs nothing before you say what this copy is.',
        "The other one lives on: parley audit resume --as copy --reason '…'. It is gone for good: --as successor.",
      ]);
    });
}

function restoredHold(from: string): LogHold {
  const since = new Date().toISOString();
  return { id: `restored:${randomUUID()}`, why: 'restored', since, says: `it was restored from ${resolve(from)}` };
}

/**
 * Opens the database that is named, or that of the `npm start` that runs on the data folder, or that of a stopped one.
 * @throws CommandFailed when it is another than that of the `npm start`, whose artifacts and secrets would be copied with it
 */
export async function openBackedUp(
  configuration: Configuration,
): Promise<OpenDatabase & { readonly eventStoreUrl: string | undefined }> {
  const { PARLEY_DATA_DIR: dataDir, EVENTSTORE_URL: named } = configuration.env;
  refuseElsewhere(named);
  const { databaseUrl, eventStoreUrl, running } = await namedStores(configuration);
  if (running === 'others')
    throw new CommandFailed(
      `the Parley that runs on ${dataDir} does not use the stores that are named, and a backup holds the artifacts and secrets of that folder: ` +
        'unset DATABASE_URL and EVENTSTORE_URL, or set PARLEY_DATA_DIR to the folder of the other one',
    );
  if (databaseUrl !== undefined) return { databaseUrl, eventStoreUrl, close: async () => undefined };
  const stopped = await openEmbeddedDatabase(dataDir);
  endTidily(stopped);
  return { ...stopped, eventStoreUrl };
}

const known = [...readStoreMigrations, ...readStore.migrations];

/** The schema that a backed-up database had, for `parley restore`. */
const backedUpSchema = { migrations: known.map(({ name }) => name), makeTables };

/** Creates the schema that the backed-up database had, so that its rows fit; the next start upgrades it. */
async function makeTables(url: string, names: readonly string[]): Promise<void> {
  const migrations = known.filter(({ name }) => names.includes(name));
  const database = await Database.connect({ url, poolSize: 2, rows: [], migrations });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  await makeEventTables(url);
}
