import { Controller, Get, Header, Query } from '@nestjs/common';
import { Operation } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { json } from '@app/schema';

/** Makes the AsyncAPI document of a configuration; the composition root knows the slices whose shapes the events name. */
export abstract class EventsDocument {
  abstract of(configuration: Configuration): JsonObject;
}

/** The journal's events, described without credentials (docs/decisions/conventions.md, "HTTP"). */
@Controller()
export class AsyncApiController {
  private document: JsonObject | null = null;

  constructor(
    private readonly configuration: Configuration,
    private readonly events: EventsDocument,
  ) {}

  // As open as the other documents: hence the unchecked query and body.
  @Get('asyncapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation('service.asyncapi', {
    ...{ account: 'not required', body: 'bytes', summary: "The journal's events" },
    answer: json({ description: 'AsyncAPI 3' }),
  })
  asyncapi(@Query() _query: unknown): JsonObject {
    this.document ??= this.events.of(this.configuration);
    return this.document;
  }
}
