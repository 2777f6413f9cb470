import { Injectable } from '@nestjs/common';
import { EventStreams } from '@app/journal';
import type { PartnerKeyId, Result } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { FeedReader } from './feed-reader';
import { FeedTail } from './feed-tail';

/** Maximum number of open streams of one key in the whole deployment. */
const streamsMax = 8;

/**
 * `feed.stream`: the feed over SSE, from a cursor on and then live. Not a query, because it takes over the reply for as
 * long as the stream lives.
 */
@Injectable()
export class StreamFeed {
  constructor(
    private readonly feed: FeedReader,
    private readonly tail: FeedTail,
    private readonly streams: EventStreams,
  ) {}

  /**
   * Takes over the reply and streams strictly after a cursor; resolves as soon as the stream is open. Refuses with
   * `invalid_cursor`, and with `stream_capacity` for one stream too many of the key. Throws Unavailable.
   */
  async open(partnerKeyId: PartnerKeyId, cursor: string | undefined, reply: FastifyReply): Promise<Result<null>> {
    const start = await this.feed.positionOf(cursor);
    if (!start.ok) return start;
    return this.streams.open(reply, {
      holder: { partnerKeyId },
      owner: { id: partnerKeyId, streamsMax },
      after: start.value,
      join: () => this.tail.join(),
    });
  }
}
