import { conversationIdParameter } from '@app/conversations';
import { operation, type OperationGroup } from '@app/http';
import { json, text } from '@app/schema';
import { streamLife } from './asyncapi';
import { exampleOf, FinEventPage } from './fin-event.schema';
import { ListEventsDto, seqPattern, StreamEventsDto } from './journal.dto';

export const eventsGroup: OperationGroup = { name: 'events', description: "A conversation's journal, in pages" };

const lastEventId = text({
  pattern: seqPattern,
  description: 'The `id` of the last frame that was read, sent by browsers on their own; it overrides `cursor`',
  examples: ['41'],
});

/** A cursor for the examples. */
const endCursor = 'nJ3mR0cSSv7wY1tq2b8ZbVsyXQ';

export const listEvents = operation('events.list', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/events',
  summary: "A conversation's journal in pages, oldest first",
  description:
    'Starts at the beginning when no cursor is given. A live conversation may grow after `nextCursor` was null: to poll, continue ' +
    'with `endCursor`. The cursor of `conversations.stream`, a `seq`, is not valid here.',
  parameters: { conversationId: conversationIdParameter },
  query: ListEventsDto,
  answer: FinEventPage,
  examples: { answer: { data: [exampleOf('run.started'), exampleOf('run.claimed')], nextCursor: null, endCursor } },
});

export const streamConversation = operation('conversations.stream', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/stream',
  summary: "A conversation's events after a cursor, and then as they happen",
  waits: true,
  description:
    'Server-sent events. The `data` of each frame is `{delivery, seq, requestId, payload}`, its `event` the type of the payload, its ' +
    '`id` the `seq`; live frames have neither `id` nor `seq`. `/asyncapi.json` describes every one of them, heartbeats, and how to ' +
    `resume. ${streamLife}`,
  parameters: { conversationId: conversationIdParameter },
  query: StreamEventsDto,
  headers: { 'Last-Event-ID': lastEventId },
  answer: { mediaType: 'text/event-stream', description: 'Frames until either side ends the stream' },
  answerHeaders: {
    'X-Accel-Buffering': text({ description: 'For proxies, which pass frames on at once', examples: ['no'] }),
  },
  reasons: ['stream_capacity'],
});

export const readEventsDocument = operation('service.asyncapi', {
  route: 'GET /asyncapi.json',
  open: true,
  summary: "The journal's events",
  answer: json({ description: 'AsyncAPI 3' }),
});
