import { Injectable } from '@nestjs/common';
import { EventStreams } from '@app/journal';
import type { PartnerKeyId, Result } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { FeedReader } from './feed-reader';
import { FeedTail } from './feed-tail';

/** Streams of one key that are open at once in the whole deployment. */
const streamsMax = 8;

/**
 * `feed.stream`: the feed over SSE, from a cursor on and then live. No query: it takes the reply over for as long as the stream lives.
 */
@Injectable()
export class StreamFeed {
  constructor(
    private readonly feed: FeedReader,
    private readonly tail: FeedTail,
    private readonly streams: EventStreams,
  ) {}

  /**
   * Takes the response over and streams strictly after a cursor; resolves as soon as the stream is open.
   * Refuses with `invalid_cursor`, and one stream too many of the key (`stream_capacity`). Throws Unavailable.
   */
  async open(partnerKeyId: PartnerKeyId, cursor: string | undefined, reply: FastifyReply): Promise<Result<null>> {
    const start = await this.feed.positionOf(cursor);
    if (!start.ok) return start;
    return this.streams.open(reply, {
      holder: { partnerKeyId },
      owner: { id: partnerKeyId, streamsMax },
      next: start.value,
      join: () => this.tail.join(),
    });
  }
}
