import { Controller, Get, Header, Headers, Param, Query, Res } from '@nestjs/common';
import { answer, Caller, Operation, ProblemException } from '@app/http';
import { invalid, limits, ok, refuse, type ConversationId, type Result } from '@app/kernel';
import { text } from '@app/schema';
import type { FastifyReply } from 'fastify';
import { streamLife } from './asyncapi';
import { exampleOf, FinEventPage } from './fin-event.schema';
import { ListEventsDto, StreamEventsDto } from './journal.dto';
import { ListEvents } from './list-events';
import { StreamEvents } from './stream-events';

const seqPattern = /^(0|[1-9][0-9]{0,15})$/;

/** When a client that found no free stream may try again. */
const streamRetrySeconds = 5;

const lastEventId = text({
  pattern: seqPattern,
  description: 'The `id` of the last frame that was read, sent by browsers on their own; it overrides `cursor`',
  examples: ['41'],
});

/** Of the example. */
const endCursor = 'nJ3mR0cSSv7wY1tq2b8ZbVsyXQ';

/** A conversation's journal, in pages and as a stream (specification, "Events"). */
@Controller('/v1/users/:userId/conversations/:conversationId')
export class JournalController {
  constructor(
    private readonly events: ListEvents,
    private readonly streams: StreamEvents,
  ) {}

  @Get('events')
  @Header('content-type', 'application/json; charset=utf-8')
  @Operation('events.list', {
    summary: "A conversation's journal in pages, oldest first",
    description:
      'Without a cursor it begins at the beginning. A live conversation may append more after `nextCursor` was null: whoever polls ' +
      'goes on with `endCursor`. What the cursor of `conversations.stream` is, a `seq`, is none here.',
    answer: FinEventPage,
    answerExample: { data: [exampleOf('run.started'), exampleOf('run.claimed')], nextCursor: null, endCursor },
  })
  async list(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() { cursor, limit }: ListEventsDto,
  ): Promise<string> {
    return answer(await this.events.page({ userId, conversationId, cursor, limit }));
  }

  @Get('stream')
  @Operation('conversations.stream', {
    summary: "A conversation's events after a cursor, and then as they happen",
    description:
      'Server-sent events. The `data` of each frame is `{delivery, seq, requestId, payload}`, its `event` the type of the payload, its ' +
      '`id` the `seq`; live frames have neither `id` nor `seq`. `/asyncapi.json` describes every one of them, heartbeats, and how to ' +
      `resume. ${streamLife}`,
    answer: { mediaType: 'text/event-stream', description: 'Frames until either side ends the stream' },
    answerHeaders: {
      'X-Accel-Buffering': text({ description: 'For proxies, which pass frames on at once', examples: ['no'] }),
    },
    reasons: ['stream_capacity'],
    headers: { 'Last-Event-ID': lastEventId },
  })
  async stream(
    @Caller() caller: Caller,
    @Param('conversationId') id: ConversationId,
    @Query() { cursor }: StreamEventsDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const seq = answer(lastEventId === undefined ? seqOfCursor(cursor) : seqOfLastEvent(lastEventId));
    const opened = await this.streams.open(caller, id, seq, reply);
    if (!opened.ok && opened.refusal.kind === 'reason' && opened.refusal.reason === 'stream_capacity') {
      throw new ProblemException(opened.refusal, { 'retry-after': String(streamRetrySeconds) });
    }
    answer(opened);
  }
}

/** The seq that a `Last-Event-ID` names; anything else is refused at the root, since no pointer reaches a header. */
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
