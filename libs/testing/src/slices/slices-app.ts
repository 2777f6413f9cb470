import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BudgetModule, budgetReadModel } from '@app/budget';
import { DeploymentModule } from '@app/deployment';
import { EventStoreModule } from '@app/event-store';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { createHttpApp, RateWindows } from '@app/http';
import { causeOfService, Clock, type Cause, type UserId } from '@app/kernel';
import { MintPartnerKey, PartnersModule, partnersReadModel } from '@app/partners';
import {
  ProjectionRunner,
  ReadGate,
  ReadStoreModule,
  type AnyProjection,
  type Migration,
  type RowClass,
} from '@app/read-store';
import { Metrics, NoTracing, Probe, Tracing } from '@app/runtime';
import { Configuration, readConfiguration } from '@app/settings';
import { UsersModule, usersReadModel } from '@app/users';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWTPayload } from 'jose';
import { v7 as uuidV7 } from 'uuid';
import { requestJson } from '../client';
import { SetClock, WindowsInMemory } from '../http/ports-in-memory';
import { LoopbackIssuer } from '../identity';
import { madeStore } from '../event-store/made-store';
import { createTestDatabase, type TestDatabase } from '../postgres';

/** Read models of the slices that every replica has. */
export const foundationReadModels: readonly ReadModel[] = [partnersReadModel, usersReadModel];
export const readModels: readonly ReadModel[] = [...foundationReadModels, budgetReadModel];

/** The tables of a slice in PostgreSQL. */
interface ReadModel {
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  readonly projections: readonly AnyProjection[];
}

export interface Replica {
  readonly app: NestFastifyApplication;
  readonly url: string;
  readonly clock: SetClock;
  /** Returns an instance of a class that some slice provides. */
  get<Value>(token: Token<Value>): Value;
}

type Compose = (configuration: Configuration, clock: Clock) => DynamicModule;

/** A class, including one with a private constructor. */
interface Token<Value> extends NewableFunction {
  readonly prototype: Value;
}

/** Partners, users, deployment and budget on a real event store and PostgreSQL, as one or more replicas in this process. */
export class Slices {
  readonly issuer = new LoopbackIssuer();
  /** The users that `users.ensure` answered, by subject. */
  readonly users = new Map<string, UserId>();
  private readonly replicas: Replica[] = [];

  private constructor(
    private readonly database: TestDatabase,
    private readonly folder: string,
    private readonly server: EventStoreServer,
    private readonly compose: Compose,
  ) {}

  /** @param compose returns the module of a replica; by default with those four slices */
  static async start(compose: Compose = moduleOf): Promise<Slices> {
    const database = await createTestDatabase(madeStore);
    const folder = await mkdtemp(join(tmpdir(), 'slices-test-'));
    const server = await startEventStoreServer({
      databaseUrl: database.url,
      listen: { socketPath: join(folder, 's') },
    });
    const slices = new Slices(database, folder, server, compose);
    await slices.issuer.start();
    return slices;
  }

  /** Starts one more replica, listening; when this resolves, a projecting one is known to be projecting. */
  async replica({ projecting, env = {} }: { projecting: boolean; env?: Record<string, string> }): Promise<Replica> {
    const read = readConfiguration({
      DATABASE_URL: this.database.url,
      EVENTSTORE_URL: this.server.address,
      OIDC_ISSUER: this.issuer.issuer,
      LOG_LEVEL: 'silent',
      PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      REQUESTS_AT_ONCE: '1000000',
      ...env,
    });
    const configuration = new Configuration(read.env);
    const clock = new SetClock();
    const root = this.compose(configuration, clock);
    const app = await createHttpApp(root, configuration, read.env.ARTIFACT_LIMIT_BYTES);
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const get: Replica['get'] = (token) => app.get(token, { strict: false });
    const replica = { app, url: `http://127.0.0.1:${port}`, clock, get };
    this.replicas.push(replica);
    if (projecting) {
      get(ProjectionRunner).start();
      while (!get(ReadGate).projecting) await sleep(10);
    }
    return replica;
  }

  /** Returns the user of a subject whose account `provisioned` made. */
  userId(subject: string): UserId {
    const userId = this.users.get(subject);
    if (userId === undefined) throw new Error(`${subject} has no account`);
    return userId;
  }

  async stop(): Promise<void> {
    for (const { get } of this.replicas) await get(ProjectionRunner).stop();
    for (const { app } of this.replicas) await app.close();
    await this.issuer.stop();
    await this.server.close();
    await this.database.drop();
    await rm(this.folder, { recursive: true });
  }
}

function moduleOf(configuration: Configuration, clock: Clock): DynamicModule {
  return assembled(configuration, clock, { modules: [BudgetModule], readModels, operationalTables: [] });
}

/** Returns a replica of the slices that nearly every test needs, and of others. */
export function assembled(
  configuration: Configuration,
  clock: Clock,
  more: {
    readonly modules: readonly (Type | DynamicModule)[];
    readonly readModels: readonly ReadModel[];
    readonly operationalTables: readonly Migration[];
  },
): DynamicModule {
  const ports = [
    { provide: Configuration, useValue: configuration },
    { provide: Clock, useValue: clock },
    { provide: RateWindows, useClass: WindowsInMemory },
    Metrics,
    { provide: Tracing, useClass: NoTracing },
    Probe,
  ];
  class Foundation {}
  Module({})(Foundation);
  const foundation = { module: Foundation, global: true, providers: ports, exports: ports.map(tokenOf) };
  const readStore = ReadStoreModule.register({
    roles: { api: true, worker: true },
    rows: more.readModels.flatMap((model) => [...model.rows]),
    migrations: [...more.readModels.flatMap((model) => [...model.migrations]), ...more.operationalTables],
    projections: more.readModels.flatMap((model) => [...model.projections]),
  });
  class Root {}
  Module({})(Root);
  const slices = [PartnersModule, UsersModule, DeploymentModule, ...more.modules];
  return {
    module: Root,
    imports: [CqrsModule.forRoot(), foundation, EventStoreModule.register(), readStore, ...slices],
  };
}

function tokenOf(provider: { provide: object } | (new () => object)) {
  return typeof provider === 'function' ? provider : (provider.provide as new () => object);
}

/** Returns the cause of a command that a test sends by itself. */
export function testCause(): Cause {
  return causeOfService('test', uuidV7());
}

/**
 * Creates the account of a user; returns the headers with which a partner's backend calls for them.
 * @param claims further claims of the user's token, in addition to its subject
 */
export async function provisioned(
  slices: Slices,
  replica: Replica,
  subject: string,
  claims: JWTPayload = {},
): Promise<Record<string, string>> {
  const minted = await replica.get(CommandBus).execute(new MintPartnerKey({ label: 'Acme', cause: testCause() }));
  if (!minted.ok) throw new Error('no key was minted');
  const token = await slices.issuer.token({ ...claims, sub: subject });
  const headers = { 'x-api-key': minted.value.key, authorization: `Bearer ${token}` };
  const ensured = await requestJson<{ userId: UserId }>('POST', `${replica.url}/v1/users`, undefined, headers);
  if (ensured.status !== 200) throw new Error(JSON.stringify(ensured.body));
  slices.users.set(subject, ensured.body.userId);
  return headers;
}
