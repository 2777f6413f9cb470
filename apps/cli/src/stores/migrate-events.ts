import { readDotEnv, readStore } from '@app/composition';
import {
  checkpoints,
  copyEvents,
  countEvents,
  refuseUnhandledInputs,
  refuseWhileRunning,
  switchStore,
  VerbatimStore,
  verifyCopy,
} from '@app/event-migration';
import { categoriesOf, Database, checkDatabase, migrate, readStoreMigrations } from '@app/read-store';
import { readConfiguration } from '@app/settings';
import type { Command } from 'commander';
import { fillReadModels } from './fill-read-models';
import { endTidily, openSource, type MigrationSource } from './migration-source';
import { print } from '../terminal/output';
import { placeInWords } from '../terminal/place-in-words';
import { showProgress } from '../terminal/progress';
import { requiredStoreUrl, storeUrlOf, withStoreUrl, type StoreUrlOption } from './store-urls';

const form = /^(esdb(\+discover)?:\/\/|unix:\/)/;
const forms = 'esdb://, esdb+discover:// or unix:/';
const target: StoreUrlOption = {
  name: 'to',
  isRequired: true,
  description: 'the target: esdb://… or unix:/…',
  form,
  forms,
};
const origin: StoreUrlOption = {
  name: 'from',
  isRequired: false,
  description: 'the source, when it is not the embedded event store of the database',
  form,
  forms,
};

/** The outcome of a migration, as `--json` prints it. */
interface Migration {
  readonly target: string;
  readonly events: number;
  readonly sha256: string;
}

/** `parley migrate-events`: from the embedded event store to an external one (docs/growing.md). */
export function migrateCommand(program: Command): void {
  withStoreUrl(withStoreUrl(program.command('migrate-events'), target), origin)
    .description('copy every event of a stopped deployment into another event store, verify the copy, and switch to it')
    .action(async (_options: object, command: Command) => {
      readDotEnv();
      const to = await requiredStoreUrl(command, target);
      const from = await storeUrlOf(command, origin);
      const source = await openSource(readConfiguration(process.env), from);
      endTidily(source);
      try {
        const { target, events, sha256 } = await migrateEvents(source, to);
        print(command, { target, events, sha256 }, [
          `${events} events are in ${target}, in the same order and byte for byte.`,
          `SHA-256 of both: ${sha256}`,
          'The read models are filled from there. Set EVENTSTORE_URL to it, and start the service.',
        ]);
      } finally {
        await source.close();
      }
    });
}

const projected = new Set(categoriesOf(readStore.projections));

async function migrateEvents({ databaseUrl, eventStoreUrl }: MigrationSource, to: string): Promise<Migration> {
  const database = await openDatabase(databaseUrl);
  const [source, target] = [new VerbatimStore(eventStoreUrl), new VerbatimStore(to)];
  try {
    await refuseWhileRunning(database);
    const count = await countEvents(source, showProgress('counting', null));
    await refuseUnhandledInputs(database, count);
    const asked = [...new Set((await checkpoints(database)).values())];
    await copyEvents(source, target, showProgress('copying', count.events));
    const copy = await verifyCopy(source, target, { asked, projected }, showProgress('verifying', count.events));
    await refuseWhileRunning(database);
    await switchStore(database, copy, placeInWords(to));
    await fillReadModels(database, to, copy.lastProjected);
    return { target: placeInWords(to), events: copy.events, sha256: copy.sha256 };
  } finally {
    await Promise.all([source.close(), target.close()]);
    await database.close();
  }
}

/** Opens the product's database with the tables of this version; close it. @throws UnfitDatabase, Unavailable */
export async function openDatabase(url: string, namedBy = 'DATABASE_URL'): Promise<Database> {
  await checkDatabase(url, namedBy);
  const { rows, migrations, projections } = readStore;
  const all = [...readStoreMigrations, ...migrations];
  const database = await Database.connect({ url, poolSize: 2, rows, migrations: all, projections });
  await migrate(database);
  return database;
}
