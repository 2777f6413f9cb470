import { Controller, Headers, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, CallingKey, ProblemException, Serves } from '@app/http';
import type { PartnerKeyId } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { listFeed, streamFeed } from './feed.contract';
import { ListFeedDto, StreamFeedDto } from './feed.dto';
import { ListFeed, ListFeedHandler } from './list-feed';
import { StreamFeed } from './stream-feed';

/** A client that found no free stream may try again after this time. */
const streamRetrySeconds = 5;

/** Notices for partners, of all users, in pages and as a stream (docs/decisions/telling-partners.md, "The feed"). */
@Controller()
export class FeedController {
  constructor(
    private readonly queries: QueryBus,
    private readonly streams: StreamFeed,
  ) {}

  @Serves(listFeed)
  async list(@Query() page: ListFeedDto): Promise<string> {
    return answer(await this.queries.execute(new ListFeed(page)));
  }

  @Serves(streamFeed)
  async stream(
    @CallingKey() partnerKeyId: PartnerKeyId,
    @Query() { cursor }: StreamFeedDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const opened = await this.streams.open(partnerKeyId, lastEventId ?? cursor, reply);
    if (!opened.ok && opened.refusal.kind === 'reason' && opened.refusal.reason === 'stream_capacity') {
      throw new ProblemException(opened.refusal, { 'retry-after': String(streamRetrySeconds) });
    }
    answer(opened);
  }
}

/** Handlers of the queries that the controller executes. */
export const feedHandlers = [ListFeedHandler];
