import { Controller, Optional, Res } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { Configuration } from '@app/runtime';
import type { FastifyReply } from 'fastify';
import type { JsonObject } from '@app/kernel';
import { Draining } from './draining';
import { openApiDocument } from './openapi/openapi';
import { openApi30 } from './openapi/openapi-3-0';
import { ApiDescription } from './openapi/openapi-words';
import type { Contract } from './operation/operation';
import { ReadinessChecks, withoutStreamNames, type ReadinessReport } from './readiness';
import { Serves, findContracts } from './operation/serves';
import { readHealth, readOpenApi, readOpenApi30, readReadiness } from './service.contract';

/** The service's description of itself, without credentials (docs/decisions/conventions.md, "HTTP"). */
@Controller()
export class ServiceController {
  private document: JsonObject | null = null;
  private olderDocument: JsonObject | null = null;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly configuration: Configuration,
    private readonly checks: ReadinessChecks,
    private readonly draining: Draining,
    @Optional() private readonly about: ApiDescription = { title: 'API', description: '', groups: [] },
  ) {}

  @Serves(readHealth)
  healthz(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Serves(readReadiness)
  async readyz(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport['body']> {
    const { code, body } = withoutStreamNames(await this.checks.report(this.draining.begun));
    void reply.code(code);
    return body;
  }

  @Serves(readOpenApi)
  openapi(): JsonObject {
    this.document ??= documentOf(this.modules, this.configuration, this.about);
    return this.document;
  }

  @Serves(readOpenApi30)
  openapi30(): JsonObject {
    this.olderDocument ??= openApi30(this.openapi());
    return this.olderDocument;
  }
}

/** The OpenAPI document of an application's partner API, running or not. The operator API has a separate document. */
export function documentOf(modules: ModulesContainer, configuration: Configuration, about: ApiDescription): JsonObject {
  return openApiDocument(
    findContracts(modules).filter((contract) => !isForOperators(contract)),
    { about, baseUrl: configuration.publicUrl, deprecated: configuration.env.V1_DEPRECATED_AT !== undefined },
  );
}

/** The OpenAPI document of an application's operator API. */
export function operatorDocumentOf(
  modules: ModulesContainer,
  configuration: Configuration,
  about: ApiDescription,
): JsonObject {
  const contracts = findContracts(modules).filter(isForOperators);
  return openApiDocument(contracts, { about, baseUrl: configuration.publicUrl, deprecated: false });
}

function isForOperators({ area, path }: Contract): boolean {
  return area === 'operator' || path.startsWith('/operator/');
}
