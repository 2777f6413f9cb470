import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Clock } from '@app/kernel';
import type { Logger } from 'pino';
import { createPino, hasReadableLogs, Metrics, PinoNestLogger, Tracing, type Configuration } from '@app/runtime';
import { AllowedMethods } from './allowed-methods';
import { parseBodiesStrictly } from './body/body-parser';
import { arrivesWithinMs, boundConnections, boundTransfers, type ConnectionBounds } from './connections';
import { deprecationHeaders } from './deprecation';
import { answerBrokenRequests, fastifyOptions } from './fastify-options';
import { Draining } from './draining';
import { guardsOf, type Guards } from './access/guards';
import { HttpModule } from './http.module';
import { issuersReadiness, checkIssuers } from './access/identity-providers';
import type { IssuerKeys } from './access/issuer-keys';
import { Overload } from './overload';
import { Accounts, PartnerKeys, RateWindows } from './ports';
import { ProblemFilter } from './problems/problem-filter';
import { ReadinessChecks } from './readiness';
import { addRequestHooks } from './request-hooks';
import { RequestLog } from './request/request-log';
import { planRoutes } from './routes';

/**
 * Creates the application that serves HTTP, ready for `listen`: problems, strict bodies, admission, health, logs and metrics. The module
 * must bind `PartnerKeys`, `Accounts`, `RateWindows`, `Clock`, `Metrics` and `Tracing` somewhere.
 * @param streamLimitBytes the largest body of an operation that takes a stream
 * @param lookedAt the issuers of the configuration, if they have been checked already
 * @throws UnfitIssuer
 */
export async function createHttpApp(
  module: DynamicModule | Type,
  configuration: Configuration,
  streamLimitBytes: number,
  log: Logger = createPino(configuration, 'http'),
  lookedAt?: readonly IssuerKeys[],
): Promise<NestFastifyApplication> {
  const { env } = configuration;
  // First, so that a misconfigured issuer is reported at once.
  const issuers = lookedAt ?? (await checkIssuers(configuration, log));
  const bounds = connectionBounds(configuration);
  const app = await createNest(HttpModule.around(module, configuration), configuration, bounds, log);
  const fastify = app.getHttpAdapter().getInstance();
  const allowedMethods = new AllowedMethods(fastify);
  planRoutes(fastify, streamLimitBytes);
  parseBodiesStrictly(fastify, arrivesWithinMs(bounds));
  answerBrokenRequests(fastify);
  const metrics = portOf(app, Metrics);
  boundConnections(fastify.server, bounds.connectionsMax, metrics);
  boundTransfers(fastify, bounds);
  for (const check of issuersReadiness(configuration, issuers)) app.get(ReadinessChecks).add(check);
  addRequestHooks(fastify, {
    guards: guardsIn(app, configuration, issuers, log),
    allowedMethods,
    draining: app.get(Draining),
    overload: new Overload(env.REQUESTS_AT_ONCE, metrics),
    requestLog: new RequestLog(metrics, env.LOG_REQUESTS ? log : null, hasReadableLogs(configuration)),
    tracing: portOf(app, Tracing),
    log,
    isOriginAllowed: (origin) => origin === (env.WEB_ORIGIN ?? new URL(configuration.publicUrl).origin),
    partnerHeaders: deprecationHeaders(env.V1_DEPRECATED_AT, env.V1_SUNSET_AT),
  });
  app.useGlobalFilters(new ProblemFilter(log));
  return app;
}

function createNest(
  module: DynamicModule,
  { env }: Configuration,
  bounds: ConnectionBounds,
  log: Logger,
): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter(fastifyOptions(env.BODY_LIMIT_BYTES, bounds, env.TRUSTED_PROXIES));
  return NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new PinoNestLogger(log),
    bodyParser: false,
    abortOnError: false,
    forceCloseConnections: true,
  });
}

/** The module's implementation of a port. */
function portOf<Port>(app: NestFastifyApplication, token: abstract new () => Port): Port {
  return app.get<Port>(token, { strict: false });
}

function guardsIn(
  app: NestFastifyApplication,
  configuration: Configuration,
  issuers: readonly IssuerKeys[],
  log: Logger,
): Guards {
  const [keys, accounts, windows] = [portOf(app, PartnerKeys), portOf(app, Accounts), portOf(app, RateWindows)];
  return guardsOf({ configuration, issuers, keys, accounts, windows, serviceClock: portOf(app, Clock), log });
}

function connectionBounds({ env }: Configuration): ConnectionBounds {
  return {
    quietMs: env.CONNECTION_QUIET_SECONDS * 1000,
    transferMs: env.TRANSFER_SECONDS * 1000,
    connectionsMax: env.CONNECTIONS_PER_REPLICA + env.STREAMS_PER_REPLICA,
  };
}
