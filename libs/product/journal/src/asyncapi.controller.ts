import { Controller } from '@nestjs/common';
import { Serves } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { Configuration } from '@app/settings';
import { readEventsDocument } from './journal.contract';

/** Builds the AsyncAPI document of a configuration; the composition root knows the slices whose shapes the events name. */
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

  @Serves(readEventsDocument)
  asyncapi(): JsonObject {
    this.document ??= this.events.of(this.configuration);
    return this.document;
  }
}
