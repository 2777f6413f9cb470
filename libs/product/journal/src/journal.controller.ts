import { Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { invalid, limits, ok, refuse, type ConversationId, type Result } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { answerOpened } from './event-streams';
import { listEvents, streamConversation } from './journal.contract';
import { ListEventsDto, seqPattern, StreamEventsDto } from './journal.dto';
import { ListEvents, ListEventsHandler } from './list-events';
import { StreamEvents } from './stream-events';

/** A conversation's journal, in pages and as a stream (specification, "Events"). */
@Controller()
export class JournalController {
  constructor(
    private readonly queries: QueryBus,
    private readonly streams: StreamEvents,
  ) {}

  @Serves(listEvents)
  async list(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() page: ListEventsDto,
  ): Promise<string> {
    return answer(await this.queries.execute(new ListEvents(userId, conversationId, page)));
  }

  @Serves(streamConversation)
  async stream(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor }: StreamEventsDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const seq = answer(lastEventId === undefined ? seqOfCursor(cursor) : seqOfLastEvent(lastEventId));
    answerOpened(await this.streams.open(caller, id, seq, reply));
  }
}

/** Returns the seq of a `Last-Event-ID`; anything else is refused at the root, since no pointer reaches a header. */
function seqOfLastEvent(spelled: string): Result<number> {
  const seq = seqOf(spelled);
  return seq === null ? refuse(invalid('', 'Last-Event-ID must be the id of an event')) : ok(seq);
}

function seqOfCursor(given: unknown = '0'): Result<number> {
  const seq = typeof given === 'string' ? seqOf(given) : null;
  return seq === null
    ? refuse(invalid('/cursor', `must be a whole number from 0 to ${limits.streamCursorMax}`))
    : ok(seq);
}

function seqOf(spelled: string): number | null {
  const seq = seqPattern.test(spelled) ? Number(spelled) : Number.NaN;
  return seq <= limits.streamCursorMax ? seq : null;
}

/** The handlers of the commands and queries that it executes. */
export const journalHandlers = [ListEventsHandler];
