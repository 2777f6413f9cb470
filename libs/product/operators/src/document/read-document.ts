import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ModulesContainer } from '@nestjs/core';
import { operatorDocumentOf } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { Configuration } from '@app/settings';
import { operatorApi } from './operator-description';

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
