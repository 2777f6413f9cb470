import { Global, Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { EventStore, ReadModels, SnapshotStore } from '@app/event-store';
import { Configuration, Metrics, Probe, Sealing, Tracing } from '@app/runtime';
import { KeyRing, KeyStore } from '@app/sealing';
import { Database, type RowClass } from './database/database';
import { checkDatabase } from './postgres/check-database';
import { migrate } from './migrations/migrate';
import type { Migration } from './database/migration';
import { readStoreMigrations } from './migrations/migrations';
import { Notifications } from './postgres/notifications';
import { OpenReadGateHandler, ReadGateSagas } from './read-gate/open-read-gate';
import { KeyErasure } from './keys/key-erasure';
import { KeyForgetting } from './keys/key-forgetting';
import { PostgresKeys, sealingKeysTable } from './keys/postgres-keys';
import { PostgresSnapshots } from './postgres-snapshots';
import { ProcessFigures } from './processes/process-figures';
import { Processes, type ProcessRoles } from './processes/processes';
import { categoriesOf, type AnyProjection } from './read-models/projection';
import { ProjectionLag } from './projecting/projection-lag';
import { ProjectionRunner } from './projecting/projection-runner';
import { ProjectionStates } from './projecting/projection-states';
import { Reactors } from './reactors/reactors';
import { ReadGate } from './read-gate/read-gate';
import { Rebuilder } from './rebuilding/rebuilder';
import { Rebuilds } from './rebuilding/rebuilds';

/**
 * Receives the function that closes an opened resource: the caller calls it if creating the module fails; afterwards the module closes it.
 */
export type OnOpen = (close: () => Promise<void>) => void;

export interface ReadStoreOptions {
  readonly roles: ProcessRoles;
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  readonly projections: readonly AnyProjection[];
  readonly onOpen?: OnOpen | undefined;
}

const storeParts = [Database, Notifications, Processes, SnapshotStore, ReadModels, ReadGate, Reactors];
const keyParts = [KeyStore, KeyErasure];
const projectionParts = [ProjectionRunner, ProjectionStates, Rebuilder, Rebuilds];

/** PostgreSQL for a whole process: migrated before anything uses it, and projected into if the process is a worker. */
@Global()
@Module({})
export class ReadStoreModule implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly processes: Processes,
    reactors: Reactors,
    { shared }: EventStore,
    metrics: Metrics,
  ) {
    reactors.lags.show(metrics, () => shared.position);
  }

  static register(options: ReadStoreOptions): DynamicModule {
    return {
      module: ReadStoreModule,
      providers: [
        ...openedAtStart(options),
        ...keyProviders,
        {
          provide: SnapshotStore,
          useFactory: (database: Database, keys: KeyRing) => new PostgresSnapshots(database, keys),
          inject: [Database, KeyRing],
        },
        {
          provide: ReadGate,
          useFactory: ({ tables }: Database, notifications: Notifications, store: EventStore, metrics: Metrics) =>
            new ReadGate(notifications, store, metrics, categoriesOf(options.projections), () => tables.followers),
          inject: [Database, Notifications, EventStore, Metrics],
        },
        { provide: ReadModels, useExisting: ReadGate },
        {
          provide: Reactors,
          useFactory: (database: Database, store: EventStore) => new Reactors(database, store),
          inject: [Database, EventStore],
        },
        OpenReadGateHandler,
        ReadGateSagas,
        ...projecting(options.projections),
        {
          provide: ProcessFigures,
          useFactory: (database: Database, metrics: Metrics) => new ProcessFigures(database, metrics),
          inject: [Database, Metrics],
        },
      ],
      exports: [...storeParts, ...keyParts, ...projectionParts],
    };
  }

  /** Last of all: all users of the stores have stopped by now. */
  async onApplicationShutdown(): Promise<void> {
    await this.processes.stop();
    await this.notifications.close();
    await this.database.close();
  }
}

/** Providers of the keys of persons' words. */
const keyProviders: Provider[] = [
  {
    provide: KeyStore,
    useFactory: (database: Database, configuration: Configuration) =>
      new PostgresKeys(database, new Sealing(configuration, sealingKeysTable.label)),
    inject: [Database, Configuration],
  },
  {
    provide: KeyErasure,
    useFactory: (database: Database) => new KeyErasure(database),
    inject: [Database],
  },
  KeyForgetting,
];

/** Providers that connect or start as soon as they are created. */
function openedAtStart({ onOpen = () => undefined, roles, ...tables }: ReadStoreOptions): Provider[] {
  return [
    {
      provide: Database,
      useFactory: async (configuration: Configuration) => {
        const database = await openDatabase(configuration, tables);
        onOpen(() => database.close());
        return database;
      },
      inject: [Configuration],
    },
    {
      provide: Notifications,
      useFactory: async (database: Database) => {
        const notifications = new Notifications(database.url);
        onOpen(() => notifications.close());
        // Listening begins first, so that a switch after the read below is noticed.
        database.tables.keepLooking(notifications);
        await notifications.open();
        await database.tables.look();
        return notifications;
      },
      inject: [Database],
    },
    {
      provide: Processes,
      useFactory: async (database: Database) => {
        const processes = new Processes(database, roles);
        onOpen(() => processes.stop());
        await processes.start();
        return processes;
      },
      inject: [Database],
    },
  ];
}

/** Providers that fill read models, and those of the operators' view and commands. */
function projecting(projections: readonly AnyProjection[]): Provider[] {
  return [
    {
      provide: ProjectionRunner,
      useFactory: (database: Database, store: EventStore, probe: Probe, tracing: Tracing, { env }: Configuration) =>
        new ProjectionRunner(database, store, projections, { probe, tracing, partitions: env.PROJECTION_PARTITIONS }),
      inject: [Database, EventStore, Probe, Tracing, Configuration],
    },
    {
      provide: Rebuilder,
      useFactory: (database: Database, store: EventStore, probe: Probe) =>
        new Rebuilder({ database, store, projections, probe }),
      inject: [Database, EventStore, Probe],
    },
    {
      provide: Rebuilds,
      useFactory: (database: Database) => new Rebuilds(database, projections),
      inject: [Database],
    },
    {
      provide: ProjectionStates,
      useFactory: (database: Database, store: EventStore) => new ProjectionStates(database, store, projections),
      inject: [Database, EventStore],
    },
    {
      provide: ProjectionLag,
      useFactory: (metrics: Metrics, runner: ProjectionRunner) => new ProjectionLag(metrics, runner),
      inject: [Metrics, ProjectionRunner],
    },
  ];
}

/**
 * Opens the database that the configuration names, with the tables of this version. The caller closes it.
 * @throws UnfitDatabase, Unavailable
 */
export async function openDatabase(
  configuration: Configuration,
  tables: Pick<ReadStoreOptions, 'rows' | 'migrations' | 'projections'>,
): Promise<Database> {
  const url = databaseUrl(configuration);
  await checkDatabase(url);
  const database = await Database.connect({
    url,
    poolSize: configuration.env.DATABASE_POOL_SIZE,
    timeoutMs: configuration.env.DATABASE_TIMEOUT_MS,
    rows: tables.rows,
    migrations: [...readStoreMigrations, ...tables.migrations],
    projections: tables.projections,
  });
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function databaseUrl(configuration: Configuration): string {
  const url = configuration.env.DATABASE_URL;
  if (url === undefined) throw new Error('DATABASE_URL is not set, and only npm start brings a PostgreSQL of its own');
  return url;
}
