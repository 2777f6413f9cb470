import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ServedLog } from '@app/audit';
import { productVersion, type JsonObject } from '@app/kernel';
import { Configuration } from '@app/settings';
import { ModulesContainer } from '@nestjs/core';
import { operatorDocumentOf } from '@app/http';
import type { DeploymentIdentity } from './document.contract';
import { operatorApi } from './operator-description';

/** Identifies the deployment that answers. @throws Unavailable */
export class IdentifyDeployment extends Query<DeploymentIdentity> {}

@QueryHandler(IdentifyDeployment)
export class IdentifyDeploymentHandler implements IQueryHandler<IdentifyDeployment> {
  constructor(
    private readonly log: ServedLog,
    private readonly configuration: Configuration,
  ) {}

  async execute(): Promise<DeploymentIdentity> {
    const deploymentId = await this.log.origin();
    return { deploymentId, version: productVersion, mode: this.configuration.env.PARLEY_MODE };
  }
}

/** Returns the OpenAPI document of the operator API, as this process serves it. */
export class ReadDocument extends Query<JsonObject> {}

@QueryHandler(ReadDocument)
export class ReadDocumentHandler implements IQueryHandler<ReadDocument> {
  private document: JsonObject | null = null;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly configuration: Configuration,
  ) {}

  execute(): Promise<JsonObject> {
    this.document ??= operatorDocumentOf(this.modules, this.configuration, operatorApi);
    return Promise.resolve(this.document);
  }
}
