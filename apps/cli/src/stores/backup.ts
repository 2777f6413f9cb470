import { holdingStatements, type LogHold } from '@app/audit';
import { readDotEnv, readStore } from '@app/composition';
import { restoreBackup, takeBackup, type GivenKeys, type OnProgress } from '@app/database-copies';
import { readConfiguration, type Configuration } from '@app/settings';
import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Database, loseKeysStatements, migrate, readStoreMigrations } from '@app/read-store';
import { refuseElsewhere, refuseUncopiable } from './backup-source';
import { endTidily, openEmbeddedDatabase, type OpenDatabase } from './migration-source';
import { namedStores } from './named-stores';
import { CommandFailed, leftOutLines, WrongUsage } from '../terminal/outcome';
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
    .option('--keys-to <file>', 'a new file, outside of the folder, for the keys of the words of persons')
    .option('--without-keys', 'leave those keys out: nobody will be able to read the words of a restored copy')
    .action(async (options: BackupOptions, command: Command) => {
      const { to } = options;
      const keysTo = keysPlace(options);
      readDotEnv();
      const configuration = readConfiguration(process.env);
      const { databaseUrl, eventStoreUrl, close } = await openBackedUp(configuration);
      try {
        await refuseUncopiable(eventStoreUrl, databaseUrl);
        const { PARLEY_DATA_DIR: dataDir } = configuration.env;
        const backup = { databaseUrl, dataDir, to, keysTo };
        const { tables, keys, ...manifest } = await takeBackup(backup, progressOf('backup'));
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        const { events, position, artifacts, secrets } = manifest;
        print(command, { to, keysTo, ...manifest, tables: tables.length, rows, keys: keys?.rows ?? 0 }, [
          `${rows} rows of ${tables.length} tables and ${artifacts} artifacts are in ${to}: ${events} events, up to position ${position}.`,
          `They are of ${placeInWords(databaseUrl)} and ${dataDir}.`,
          keysTo === null
            ? 'The keys of the words are not in it: nobody can read the words of a copy that is restored from it.'
            : `The keys of the words are in ${keysTo}: keep it apart from the backup, and for 30 days at most, because with both one reads the words of users who were erased since.`,
          secrets && configuration.env.PARLEY_SECRET_KEY === undefined
            ? 'Its secrets.json opens the wallet keys in it: keep it as safe as the money.'
            : 'PARLEY_SECRET_KEY is not in it: keep it in another place, the wallet keys in the backup open with it only.',
        ]);
      } finally {
        await close();
      }
    });
}

interface BackupOptions {
  readonly to: string;
  readonly keysTo?: string;
  readonly withoutKeys?: boolean;
}

/** The file for the keys; null to leave them out. A backup without keys must be wanted: its words are lost. @throws WrongUsage */
function keysPlace({ keysTo, withoutKeys = false }: BackupOptions): string | null {
  if (withoutKeys === (keysTo !== undefined))
    throw new WrongUsage(
      'say where the keys of the words of persons go, which are not in a backup: --keys-to <file>, in another place than the backup, or else --without-keys',
    );
  return keysTo ?? null;
}

/** `parley restore` (docs/production.md, "Backups"). */
export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('make a data folder (PARLEY_DATA_DIR) of a backup, and compare every table with what it was taken of')
    .requiredOption('--from <folder>', 'what parley backup has made')
    .option('--keys-from <file>', 'the keys that were written with it')
    .option(
      '--without-keys',
      'restore it without keys: the words of persons are erased in the copy, and no user can sign in',
    )
    .action(async (options: RestoreOptions, command: Command) => {
      const { from } = options;
      const given = givenKeys(options);
      readDotEnv();
      const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY: secretKey } = readConfiguration(process.env).env;
      const hasSecretKey = secretKey !== undefined;
      const mark = [...holdingStatements(restoredHold(from)), ...(given === 'none' ? loseKeysStatements : [])];
      const { tables, keys, ...manifest } = await restoreBackup(
        { from, dataDir, hasSecretKey, keys: given, ...backedUpSchema, mark },
        progressOf('restore'),
      );
      print(command, { dataDir, ...manifest, tables: tables.length, keys: given === 'none' ? 0 : keys?.rows }, [
        `${dataDir} holds what the service had at ${manifest.takenAt}: ${manifest.events} events, up to position ${manifest.position}.`,
        ...leftOutLines(manifest.leftOut),
        ...(manifest.secrets || hasSecretKey
          ? []
          : [
              'Set PARLEY_SECRET_KEY to the key of the service first: the wallet keys in the backup open with it only.',
            ]),
        ...(given === 'none'
          ? ['Its words are erased, and no user can sign in: it is for its books, and for operators.']
          : [
              'Users who were erased since have their keys again: erase each of them again, as docs/production.md says.',
            ]),
        'Start the service: it works, and its log signs nothing before you say what this copy is.',
        "The other one lives on: parley audit resume --as copy --reason '…'. It is gone for good: --as successor.",
      ]);
    });
}

interface RestoreOptions {
  readonly from: string;
  readonly keysFrom?: string;
  readonly withoutKeys?: boolean;
}

function givenKeys({ keysFrom, withoutKeys = false }: RestoreOptions): GivenKeys {
  if (keysFrom !== undefined && withoutKeys) throw new WrongUsage('say either --keys-from or --without-keys');
  if (keysFrom !== undefined) return { file: keysFrom };
  return withoutKeys ? 'none' : 'unsaid';
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
