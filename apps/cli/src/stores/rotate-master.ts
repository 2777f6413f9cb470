import { readDotEnv, readStore, rotateMaster, type SealedCounts } from '@app/composition';
import { readSecrets } from '@app/data-folder';
import { Database, pendingMigrations, readStoreMigrations } from '@app/read-store';
import { secretKeysIn } from '@app/runtime';
import { Configuration, readConfiguration } from '@app/settings';
import type { Command } from 'commander';
import { confirmed } from '../terminal/confirm';
import { CommandFailed } from '../terminal/outcome';
import { print } from '../terminal/output';
import { placeInWords } from '../terminal/place-in-words';
import { showProgress } from '../terminal/progress';
import { endTidily, openEmbeddedDatabase } from './migration-source';
import { namedStores } from './named-stores';

/** `parley keys rotate-master`: seals every stored value under the newest entry of PARLEY_SECRET_KEY (docs/production.md). */
export function rotateMasterCommand(program: Command): void {
  const keys = program.commands.find((command) => command.name() === 'keys') ?? program.command('keys');
  keys
    .command('rotate-master')
    .description(
      'seal every wallet key, webhook secret and other sealed value again, under the newest entry of PARLEY_SECRET_KEY, while the service runs',
    )
    .option('--yes', 'do it without asking')
    .action(async ({ yes }: { readonly yes?: true }, command: Command) => {
      readDotEnv();
      const { configuration, entries } = await withSecret(readConfiguration(process.env));
      await onDatabase(configuration, async (database) => {
        if (yes !== true && entries > 1) await confirmed(question(database.url));
        const counts = await rotateMaster(database, configuration, progressOf);
        tell(command, counts, entries);
      });
    });
}

function question(databaseUrl: string): string {
  return (
    `Each sealed value at ${placeInWords(databaseUrl)} is sealed under the first entry of PARLEY_SECRET_KEY; ` +
    'a process that runs without that entry opens none of them'
  );
}

/** The configuration with the secret key that a sandbox generated, where none is set. @throws CommandFailed when there is none either */
async function withSecret({ env }: Configuration): Promise<{ configuration: Configuration; entries: number }> {
  const PARLEY_SECRET_KEY = env.PARLEY_SECRET_KEY ?? (await readSecrets(env.PARLEY_DATA_DIR))?.secretKey;
  if (PARLEY_SECRET_KEY === undefined) throw new CommandFailed('PARLEY_SECRET_KEY is not set: set it to new,old');
  const configuration = new Configuration({ ...env, PARLEY_SECRET_KEY });
  return { configuration, entries: secretKeysIn(PARLEY_SECRET_KEY).length };
}

/** Runs the body on the database that the environment names, or on that of the data folder, whether or not the service runs on it. */
async function onDatabase(configuration: Configuration, body: (database: Database) => Promise<void>): Promise<void> {
  const { databaseUrl } = await namedStores(configuration);
  const stopped = databaseUrl === undefined ? await openEmbeddedDatabase(configuration.env.PARLEY_DATA_DIR) : null;
  if (stopped !== null) endTidily(stopped);
  const url = databaseUrl ?? stopped?.databaseUrl ?? '';
  const migrations = [...readStoreMigrations, ...readStore.migrations];
  try {
    const database = await Database.connect({ url, poolSize: 2, rows: readStore.rows, migrations });
    try {
      if ((await pendingMigrations(database)) > 0)
        throw new CommandFailed('the database is of an earlier version: start the service in this version first');
      await body(database);
    } finally {
      await database.close();
    }
  } finally {
    await stopped?.close();
  }
}

function progressOf(table: string, round: number): (done: number, total: number) => void {
  let show: ReturnType<typeof showProgress> | null = null;
  return (done, total) => {
    show ??= showProgress(round === 1 ? `sealing ${table}` : `checking ${table}`, total, 'values');
    show(done, total);
  };
}

/** @throws CommandFailed if any value needs another entry than the newest */
function tell(command: Command, counts: readonly SealedCounts[], entries: number): void {
  const [older, closed] = [sumOf(counts, 'older'), sumOf(counts, 'closed')];
  const isDone = older === 0 && closed === 0;
  const last = lastLine({ older, closed, entries });
  print(command, { done: isDone, older, closed, tables: counts }, [
    ...counts.map(({ table, values, ...left }) => `${table}: ${values - left.older - left.closed} of ${values}`),
    ...(isDone ? [last] : []),
  ]);
  if (!isDone) throw new CommandFailed(last);
}

function sumOf(counts: readonly SealedCounts[], member: 'older' | 'closed'): number {
  return counts.reduce((sum, one) => sum + one[member], 0);
}

function lastLine({ older, closed, entries }: { older: number; closed: number; entries: number }): string {
  if (closed > 0)
    return `${closed} values open with no entry of PARLEY_SECRET_KEY: add the key that sealed them at its end, and run it again`;
  if (older > 0)
    return `${older} values still need an older entry: see that every process runs with this PARLEY_SECRET_KEY, and run it again`;
  return entries === 1
    ? 'Every value opens with the one entry of PARLEY_SECRET_KEY.'
    : 'No value needs an older entry: keep only the first one in PARLEY_SECRET_KEY, and restart every process.';
}
