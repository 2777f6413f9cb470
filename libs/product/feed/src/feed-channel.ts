import type { DescribedChannel } from '@app/journal';
import { exampleCursor, feedLife } from './feed.contract';
import { FeedEvent, feedExample } from './feed.schema';

const aboutStream = `The events for partners, of all users of the deployment, in the order in which all was recorded, each once.

- Each frame's SSE \`event\` is the type, its \`data\` the message below, its \`id\` the cursor after it.
- A frame with an \`id\` alone says how far the feed was read; \`EventSource\` remembers it and hands nothing on.
- To resume, send the last \`id\` as header \`Last-Event-ID\`, or as query parameter \`cursor\`; the header wins. Nothing is missed and
  nothing comes twice. \`now\` begins at the end; without a cursor it begins at the beginning.
- The stream begins with \`retry: 2000\`: wait so long before coming back. A comment frame is the heartbeat, every 15 s; a connection
  that brings no byte for 45 s is broken.
- ${feedLife} More than 8 streams of one key are 429 \`stream_capacity\` with \`Retry-After\`.`;

/** The feed's entry in the AsyncAPI document. */
export const feedChannel: DescribedChannel = {
  name: 'feed',
  address: '/feed/v1/stream',
  title: 'The feed',
  description: aboutStream,
  operation: {
    name: 'feed.stream',
    title: 'Follow the feed',
    summary: 'The events for partners after a cursor, and new ones as they happen',
    cursor: { type: 'string', description: 'Resume strictly after it', examples: [exampleCursor] },
  },
  message: {
    name: 'feed.event',
    summary: 'An event for partners',
    payload: FeedEvent,
    example: feedExample,
  },
};
