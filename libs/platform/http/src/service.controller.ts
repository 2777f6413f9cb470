import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Configuration } from '@app/runtime';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '@app/kernel';
import { json, mapOf, oneOf, shape } from '@app/schema';
import { Draining } from './draining';
import { openApiDocument } from './openapi';
import { openApi30 } from './openapi-3-0';
import { Operation } from './operation';
import { ReadinessChecks } from './readiness';
import { routedOperations } from './routed-operations';

const health = shape('Health', { status: oneOf(['ok']) });
const readiness = shape('Readiness', {
  status: oneOf(['ok', 'degraded', 'away', 'draining']),
  checks: mapOf(oneOf(['ok', 'degraded', 'away']), { description: 'The state of each dependency by its name' }),
});

/** What the service says of itself, without credentials (docs/decisions/conventions.md, "HTTP"). */
@Controller()
export class ServiceController {
  private document: JsonObject | null = null;
  private olderDocument: JsonObject | null = null;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly configuration: Configuration,
    private readonly checks: ReadinessChecks,
    private readonly draining: Draining,
  ) {}

  // Health checkers may send what they like: hence the unchecked query and body.
  @Get('healthz')
  @Operation('service.health', {
    account: 'not required',
    body: 'bytes',
    summary: 'The process answers',
    answer: health,
    answerExample: { status: 'ok' },
  })
  healthz(@Query() _query: unknown): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Operation('service.readiness', {
    account: 'not required',
    body: 'bytes',
    summary: 'The process should be sent requests',
    answer: readiness,
    description: '503 while it drains or a store is away.',
    otherAnswers: { 503: readiness },
    answerExample: { status: 'ok', checks: { database: 'ok', 'event store': 'ok', projections: 'ok' } },
  })
  async readyz(@Query() _query: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { code, body } = await this.checks.report(this.draining.begun);
    void reply.code(code);
    return body;
  }

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation('service.openapi', {
    account: 'not required',
    body: 'bytes',
    summary: 'This document',
    answer: json({ description: 'OpenAPI 3.1' }),
  })
  openapi(@Query() _query: unknown): JsonObject {
    this.document ??= documentOf(this.modules, this.configuration);
    return this.document;
  }

  @Get('openapi-3.0.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation('service.openapi30', {
    account: 'not required',
    body: 'bytes',
    summary: 'The same contract for generators that know OpenAPI 3.0 only',
    answer: json({ description: 'OpenAPI 3.0.3' }),
  })
  openapi30(@Query() query: unknown): JsonObject {
    this.olderDocument ??= openApi30(this.openapi(query));
    return this.olderDocument;
  }
}

/** The OpenAPI document of an application, running or not. */
export function documentOf(modules: ModulesContainer, configuration: Configuration): JsonObject {
  return openApiDocument(routedOperations(modules), {
    baseUrl: configuration.publicUrl,
    deprecated: configuration.env.V1_DEPRECATED_AT !== undefined,
  });
}
