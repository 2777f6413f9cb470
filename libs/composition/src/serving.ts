import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeGracefully, createHttpApp, Cursors, Draining, ReadinessChecks, startManagementServer } from '@app/http';
import type { IssuerKeys } from '@app/http';
import { Database, type OnOpen, type ProcessRoles } from '@app/read-store';
import { createPino, Metrics, PinoNestLogger, type Probe } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { createProcessModule } from './process.module';
import { listenFailure } from './start-failures';

/** A process that ends waits no longer than this for an answer of PostgreSQL. */
const lastWordsMs = 3_000;

export interface RunningProcess {
  readonly app: INestApplicationContext;
  /** How long requests in flight have when it stops. */
  readonly drainMs: number;
  /** Drains, then stops everything that the process runs. */
  stop(): Promise<void>;
}

export interface ServingOptions {
  readonly probe?: Probe;
  /** Whether no other process can serve the same deployment. */
  readonly alone?: boolean;
  /** The issuers of user tokens, if they were checked already. */
  readonly issuers?: readonly IssuerKeys[];
}

/** Starts a process that serves the partner API, and works too if its roles include it. @throws CannotStart, Unavailable */
export async function startServing(
  configuration: Configuration,
  roles: ProcessRoles,
  { issuers, ...how }: ServingOptions = {},
): Promise<RunningProcess> {
  const { env } = configuration;
  const log = createPino(configuration, 'http');
  const app = await closeOnFailure((onOpen) => {
    const root = createProcessModule({ configuration, roles, onOpen, ...how });
    return createHttpApp(root, configuration, env.ARTIFACT_LIMIT_BYTES, log, issuers);
  });
  try {
    await onPort('PORT', env.PORT, () => app.listen(env.PORT, env.HOST));
    const management = await onPort('MANAGEMENT_PORT', env.MANAGEMENT_PORT, () => serveManagement(app, configuration));
    const drainMs = env.DRAIN_SECONDS * 1000;
    return {
      app,
      drainMs,
      stop: async () => {
        // Without other replicas, no proxy has to notice that this one stops serving.
        const quiet = how.alone === true ? { quietMs: 0 } : {};
        await closeGracefully(app, drainMs, { ...quiet, onDrained: () => hurry(app) });
        await management.close();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Starts a process that works and serves only its management port. @throws CannotStart */
export async function startWorking(configuration: Configuration, probe?: Probe): Promise<RunningProcess> {
  const { env } = configuration;
  const app = await openProduct(configuration, { api: false, worker: true }, probe);
  try {
    const management = await onPort('MANAGEMENT_PORT', env.MANAGEMENT_PORT, () => serveManagement(app, configuration));
    return {
      app,
      drainMs: 0,
      stop: async () => {
        hurry(app);
        await app.get(Draining).drain(0, 0);
        await app.close();
        await management.close();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The API without a listener, for requests that are passed to it in this process. @throws CannotStart, Unavailable */
export async function openApi(configuration: Configuration): Promise<NestFastifyApplication> {
  const roles = { api: true, worker: false };
  const log = createPino(configuration, 'http');
  const app = await closeOnFailure((onOpen) => {
    const root = createProcessModule({ configuration, roles, onOpen });
    return createHttpApp(root, configuration, configuration.env.ARTIFACT_LIMIT_BYTES, log);
  });
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The product without a listener or any role, for commands given from outside its processes. */
export async function openProduct(
  configuration: Configuration,
  roles: ProcessRoles = { api: false, worker: false },
  probe?: Probe,
): Promise<INestApplicationContext> {
  return closeOnFailure((onOpen) => {
    const root = createProcessModule({ configuration, roles, onOpen, ...(probe && { probe }) });
    return NestFactory.createApplicationContext(withoutHttp(root, configuration), {
      logger: new PinoNestLogger(createPino(configuration, 'worker')),
      abortOnError: false,
    });
  });
}

/** Closes whatever a module opened when creating the application fails, because then no application exists that could. */
async function closeOnFailure<Made>(make: (onOpen: OnOpen) => Promise<Made>): Promise<Made> {
  const closers: (() => Promise<void>)[] = [];
  try {
    return await make((close) => closers.unshift(close));
  } catch (error) {
    for (const close of closers) await close();
    throw error;
  }
}

/** Limits the wait for the database at the end to a moment, instead of the patience of a request. */
function hurry(app: INestApplicationContext): void {
  app.get(Database, { strict: false }).expectWithin(lastWordsMs);
}

async function serveManagement(app: INestApplicationContext, { env }: Configuration) {
  const managed = {
    metrics: app.get(Metrics, { strict: false }),
    checks: app.get(ReadinessChecks, { strict: false }),
    draining: app.get(Draining, { strict: false }),
  };
  return startManagementServer(managed, { host: env.MANAGEMENT_HOST, port: env.MANAGEMENT_PORT });
}

/** Adds the providers that slices expect of the HTTP core, for a process in which nothing is served. */
function withoutHttp(root: DynamicModule, { env }: Configuration): DynamicModule {
  if (env.PARLEY_SECRET_KEY === undefined) throw new Error('PARLEY_SECRET_KEY is not set');
  return {
    module: class UnservedModule {},
    global: true,
    imports: [root],
    providers: [{ provide: Cursors, useValue: new Cursors(env.PARLEY_SECRET_KEY) }, Draining, ReadinessChecks],
    exports: [Cursors, Draining, ReadinessChecks],
  };
}

/** @throws CannotStart when the process cannot listen on the address */
export async function onPort<Value>(
  variable: 'PORT' | 'MANAGEMENT_PORT',
  port: number,
  listen: () => Promise<Value>,
): Promise<Value> {
  try {
    return await listen();
  } catch (error) {
    throw listenFailure(error, variable, port);
  }
}
