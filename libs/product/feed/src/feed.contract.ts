import { operation, type OperationGroup } from '@app/http';
import { lifeOf } from '@app/journal';
import { text } from '@app/schema';
import { ListFeedDto, StreamFeedDto } from './feed.dto';
import { feedExample, FeedPageShape } from './feed.schema';

export const feedGroup: OperationGroup = {
  name: 'feed',
  description: 'The events for partners, of all users of the deployment',
};

/** A cursor for the examples. */
export const exampleCursor = 'nJ3mR0cSSv7wY1tq2b8ZbVsyXQ';

/** The lifetime of a stream, in words. */
export const feedLife = lifeOf('within 30 s after its key is revoked');

const needsRight =
  'It asks for a partner key that was minted with `feed: true` and for no user; a user token is ignored.';

export const listFeed = operation('feed.list', {
  route: 'GET /feed/v1/events',
  summary: 'The feed in pages, oldest first',
  description:
    `${needsRight} Each event comes once, in the order in which all was recorded, and for as long as journals are kept. A page may be ` +
    'shorter than `limit`, even empty, and yet have a `nextCursor`: one request looks through so many events. Once `nextCursor` is ' +
    'null, poll with `endCursor`, or follow `feed.stream` from there.',
  query: ListFeedDto,
  answer: FeedPageShape,
  examples: { answer: { data: [feedExample], nextCursor: null, endCursor: exampleCursor } },
});

export const streamFeed = operation('feed.stream', {
  route: 'GET /feed/v1/stream',
  summary: 'The feed after a cursor, and then as it happens',
  waits: true,
  description:
    `${needsRight} Server-sent events: the \`data\` of each is an event as \`feed.list\` has it, its \`event\` the type, its \`id\` the ` +
    `cursor after it. A frame with an \`id\` alone says how far the feed was read. At most 8 streams of one key. ${feedLife}`,
  query: StreamFeedDto,
  headers: {
    'Last-Event-ID': text({
      description: 'The `id` of the last frame that was read, sent by browsers on their own; it overrides `cursor`',
      examples: [exampleCursor],
    }),
  },
  answer: { mediaType: 'text/event-stream', description: 'Frames until either side ends the stream' },
  answerHeaders: {
    'X-Accel-Buffering': text({ description: 'For proxies, which pass frames on at once', examples: ['no'] }),
  },
  reasons: ['stream_capacity'],
});
