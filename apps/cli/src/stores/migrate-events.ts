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
import { readConfiguration, type Configuration } from '@app/settings';
import type { Command } from 'commander';
import { fillReadModels } from './fill-read-models';
import { SealedCopy } from './sealed-copy';
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
  /** Hash of the target's events. */
  readonly sha256: string;
  /** With `--seal`: how many events had words in clear, and the name of the copy's log if it begins another one. */
  readonly sealed?: number;
  readonly log?: string | null;
}

/** The findings and actions of the command. */
interface Outcome {
  /** Null if no event has words in clear, so that nothing was copied. */
  readonly migration: Migration | null;
  /** Whether this run made the database use the target. */
  readonly isNew: boolean;
}

/** `parley migrate-events`: from the embedded event store to an external one (docs/growing.md). */
export function migrateCommand(program: Command): void {
  withStoreUrl(withStoreUrl(program.command('migrate-events'), target), origin)
    .description('copy every event of a stopped deployment into another event store, verify the copy, and switch to it')
    .option('--seal', 'seal the words of persons that earlier versions stored in clear; the copy begins another log')
    .action(async ({ seal = false }: { readonly seal?: boolean }, command: Command) => {
      readDotEnv();
      const to = await requiredStoreUrl(command, target);
      const from = await storeUrlOf(command, origin);
      const configuration = readConfiguration(process.env);
      const source = await openSource(configuration, from);
      endTidily(source);
      try {
        const outcome = await migrateEvents(source, to, seal ? configuration : null);
        print(command, outcome.migration, linesOf(outcome));
      } finally {
        await source.close();
      }
    });
}

const projected = new Set(categoriesOf(readStore.projections));

function linesOf({ migration, isNew }: Outcome): string[] {
  if (migration === null)
    return ['No event has words in clear, so nothing was copied. Without --seal, the events are copied as they are.'];
  const { target, events, sha256, sealed, log } = migration;
  const start = 'The read models are filled from there. Set EVENTSTORE_URL to it, and start the service.';
  if (sealed === undefined)
    return [
      `${events} events are in ${target}, in the same order and byte for byte.`,
      `SHA-256 of both: ${sha256}`,
      start,
    ];
  return [
    ...(isNew ? [] : ['Nothing was left to do: an earlier run has finished.']),
    `${events} events are in ${target}, in the same order; the words in ${sealed} of them are sealed.`,
    `SHA-256 of the copy: ${sha256}`,
    ...(log == null ? [] : [`Its log begins as ${log}, with the last checkpoint of the one before.`]),
    start,
    'The store that was copied, and every backup of it, still has the words in clear: remove them (docs/growing.md).',
  ];
}

/** @param toSeal null to copy byte by byte */
async function migrateEvents(
  { databaseUrl, eventStoreUrl }: MigrationSource,
  to: string,
  toSeal: Configuration | null,
): Promise<Outcome> {
  const database = await openDatabase(databaseUrl);
  const [source, target] = [new VerbatimStore(eventStoreUrl), new VerbatimStore(to)];
  let sealed: SealedCopy | null = null;
  try {
    await refuseWhileRunning(database);
    sealed = toSeal && (await SealedCopy.begin(database, toSeal));
    const count = await countEvents(source, showProgress('counting', null), (event) => sealed?.count(event));
    if (sealed?.clear === 0) return { migration: null, isNew: false };
    await refuseUnhandledInputs(database, count);
    const asked = [...new Set((await checkpoints(database)).values())];
    const form = sealed?.form();
    await copyEvents(source, target, showProgress('copying', count.events + (form?.closing ? 1 : 0)), form);
    const copy = await verifyCopy(source, target, { asked, projected }, showProgress('verifying', count.events), form);
    await refuseWhileRunning(database);
    const isNew = await switchStore(database, copy, placeInWords(to), sealed?.statements());
    await fillReadModels(database, to, copy.lastProjected);
    const migration = { target: placeInWords(to), events: copy.events, sha256: copy.sha256 };
    return {
      isNew,
      migration: sealed === null ? migration : { ...migration, sealed: sealed.clear, log: sealed.newOrigin },
    };
  } finally {
    sealed?.close();
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
