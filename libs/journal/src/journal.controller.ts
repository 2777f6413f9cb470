import { Controller, Get, Header, Headers, Param, Query, Res } from '@nestjs/common';
import { answer, Caller, Operation, ProblemException } from '@app/http';
import { invalid, limits, ok, refuse, type ConversationId, type Result } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { ListEventsDto, StreamEventsDto } from './journal.dto';
import { ListEvents } from './list-events';
import { StreamEvents } from './stream-events';

/** When a client that found no free stream may try again. */
const streamRetrySeconds = 5;

/** A conversation's journal, in pages and as a stream (specification, "Events"). */
@Controller('/v1/users/:userId/conversations/:conversationId')
export class JournalController {
  constructor(
    private readonly events: ListEvents,
    private readonly streams: StreamEvents,
  ) {}

  @Get('events')
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation('events.list')
  async list(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() { cursor, limit }: ListEventsDto,
  ): Promise<string> {
    return answer(await this.events.page({ userId, conversationId, cursor, limit }));
  }

  @Get('stream')
  @Operation('conversations.stream')
  async stream(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor }: StreamEventsDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const seq = lastEventId === undefined ? cursor : answer(seqOf(lastEventId));
    const opened = await this.streams.open(caller, id, seq, reply);
    if (!opened.ok && opened.refusal.kind === 'reason' && opened.refusal.reason === 'stream_capacity') {
      throw new ProblemException(opened.refusal, { 'retry-after': String(streamRetrySeconds) });
    }
    answer(opened);
  }
}

/** The seq that a `Last-Event-ID` names; anything else is refused at the root, since no pointer reaches a header. */
function seqOf(text: string): Result<number> {
  const seq = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  return seq <= limits.streamCursorMax ? ok(seq) : refuse(invalid('', 'Last-Event-ID must be the id of an event'));
}
