import { Controller } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Serves } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { readOperatorOpenApi } from './document.contract';
import { ReadDocument, ReadDocumentHandler } from './read-document';

@Controller()
export class OperatorsDocumentController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readOperatorOpenApi)
  async openapi(): Promise<JsonObject> {
    return this.queries.execute(new ReadDocument());
  }
}

/** What handles the queries that it executes. */
export const operatorsDocumentHandlers = [ReadDocumentHandler];
