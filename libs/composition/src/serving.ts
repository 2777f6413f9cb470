import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { closeGracefully, createHttpApp, Cursors, Draining, ReadinessChecks, startManagementServer } from '@app/http';
import { Database, type ProcessRoles } from '@app/read-store';
import { createPino, Metrics, PinoNestLogger, type Configuration, type Probe } from '@app/runtime';
import { createProcessModule } from './process.module';
import { listenFailure } from './start-failures';

/** A process that ends waits no longer than this for PostgreSQL to say something. */
const lastWordsMs = 3_000;

export interface RunningProcess {
  readonly app: INestApplicationContext;
  /** How long requests in flight have when it stops. */
  readonly drainMs: number;
  /** Drains, then stops everything that the process runs. */
  stop(): Promise<void>;
}

/**
 * Starts a process that serves the partner API, and works too when its roles say so.
 * @param how.alone whether no other process can serve the same deployment
 * @throws CannotStart
 */
export async function startServing(
  configuration: Configuration,
  roles: ProcessRoles,
  how: { readonly probe?: Probe; readonly alone?: boolean } = {},
): Promise<RunningProcess> {
  const { env } = configuration;
  const module = createProcessModule({ configuration, roles, ...how });
  const app = await createHttpApp(module, configuration);
  try {
    await onPort('PORT', env.PORT, () => app.listen(env.PORT, env.HOST));
    const management = await onPort('MANAGEMENT_PORT', env.MANAGEMENT_PORT, () => serveManagement(app, configuration));
    const drainMs = env.DRAIN_SECONDS * 1000;
    return {
      ...{ app, drainMs },
      stop: async () => {
        // Where nobody else serves, no proxy has to learn that this process does not any more.
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

/** Starts a process that works and serves nothing but its management port. @throws CannotStart */
export async function startWorking(configuration: Configuration, probe?: Probe): Promise<RunningProcess> {
  const { env } = configuration;
  const app = await openProduct(configuration, { api: false, worker: true }, probe);
  try {
    const management = await onPort('MANAGEMENT_PORT', env.MANAGEMENT_PORT, () => serveManagement(app, configuration));
    return {
      ...{ app, drainMs: 0 },
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

/** The product without a listener; with no role at all, for whoever gives commands from outside of its processes. */
export async function openProduct(
  configuration: Configuration,
  roles: ProcessRoles = { api: false, worker: false },
  probe?: Probe,
): Promise<INestApplicationContext> {
  const root = createProcessModule({ configuration, roles, ...(probe && { probe }) });
  return NestFactory.createApplicationContext(withoutHttp(root, configuration), {
    logger: new PinoNestLogger(createPino(configuration, 'worker')),
    abortOnError: false,
  });
}

/** What is left to be done at the end is worth a moment, not the patience of a request. */
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

/** The providers that slices expect of the HTTP core, for a process in which nothing is served. */
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

/** @throws CannotStart when the address cannot be listened on */
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
