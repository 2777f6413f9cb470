import { Controller, Headers, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, CallingKey, Serves } from '@app/http';
import { answerOpened } from '@app/journal';
import type { PartnerKeyId } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { listFeed, streamFeed } from './feed.contract';
import { ListFeedDto, StreamFeedDto } from './feed.dto';
import { ListFeed, ListFeedHandler } from './feed-reader';
import { StreamFeed } from './stream-feed';

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
    answerOpened(await this.streams.open(partnerKeyId, lastEventId ?? cursor, reply));
  }
}

/** Handlers of the queries that the controller executes. */
export const feedHandlers = [ListFeedHandler];
