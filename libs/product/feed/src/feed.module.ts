import { Module } from '@nestjs/common';
import { EventStreamsModule } from '@app/journal';
import { NoticesModule } from '@app/notices';
import { FeedController, feedHandlers } from './feed.controller';
import { FeedReader } from './feed-reader';
import { FeedTail } from './feed-tail';
import { StreamFeed } from './stream-feed';

/** The feed, for processes that serve HTTP. */
@Module({
  imports: [NoticesModule, EventStreamsModule],
  controllers: [FeedController],
  providers: [...feedHandlers, FeedReader, FeedTail, StreamFeed],
})
export class FeedModule {}
