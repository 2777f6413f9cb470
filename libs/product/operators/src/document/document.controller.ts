import { Controller } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Serves } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { identifyDeployment, readOperatorOpenApi, type DeploymentIdentity } from './document.contract';
import { IdentifyDeployment, IdentifyDeploymentHandler, ReadDocument, ReadDocumentHandler } from './read-document';

@Controller()
export class OperatorsDocumentController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readOperatorOpenApi)
  async openapi(): Promise<JsonObject> {
    return this.queries.execute(new ReadDocument());
  }

  @Serves(identifyDeployment)
  async identify(): Promise<DeploymentIdentity> {
    return this.queries.execute(new IdentifyDeployment());
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsDocumentHandlers = [IdentifyDeploymentHandler, ReadDocumentHandler];
