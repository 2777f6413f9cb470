import { Module, type DynamicModule } from '@nestjs/common';
import { AsyncApiController, EventsDocument } from './asyncapi.controller';
import { ConversationHubs } from './conversation-hubs';
import { JournalKind } from './fin-event';
import { Journal } from './journal';
import { JournalController, journalHandlers } from './journal.controller';
import { LiveFrames } from './live-frames';
import { EventStreams } from './event-streams';
import { OpenStreams } from './open-streams';
import { StreamEvents } from './stream-events';
import { StreamHolders } from './stream-holders';
import { StreamSockets, streamSocketsMigrations } from './stream-sockets';

/** SSE streams of any source: counted and maintained together for this whole process. */
@Module({ providers: [StreamSockets, StreamHolders, OpenStreams, EventStreams], exports: [OpenStreams, EventStreams] })
export class EventStreamsModule {}

/** The reading side, for processes that serve HTTP. */
@Module({})
export class JournalModule {
  /**
   * @param kind the conversations' own: the journal reads their streams, and lifts old events by their upcasters
   * @param documentOf builds the AsyncAPI document, by `asyncApiDocument` and the shapes that events name
   */
  static register(kind: JournalKind, documentOf: EventsDocument['of']): DynamicModule {
    return {
      module: JournalModule,
      imports: [EventStreamsModule],
      controllers: [JournalController, AsyncApiController],
      providers: [
        ...journalHandlers,
        { provide: JournalKind, useValue: kind },
        { provide: EventsDocument, useValue: { of: documentOf } },
        Journal,
        ConversationHubs,
        StreamEvents,
      ],
    };
  }
}

/** The writing side of live frames, for processes that execute runs. */
@Module({ providers: [LiveFrames], exports: [LiveFrames] })
export class LiveFramesModule {}

/** The slice's tables in PostgreSQL: operational rows only. */
export const journalReadModel = { rows: [], migrations: streamSocketsMigrations, projections: [] };
