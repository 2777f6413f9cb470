import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ok, type Result } from '@app/kernel';
import type { ListFeedDto } from './feed.dto';
import { FeedReader } from './feed-reader';

/**
 * A page of the feed, oldest first, as JSON text: `{data: FeedEvent[], nextCursor, endCursor}`. `nextCursor` is null
 * when this read reached the end of the feed; `endCursor` never is, and continues there once there are more events.
 * Refuses with `invalid_cursor`.
 * @throws Unavailable
 */
export class ListFeed extends Query<Result<string>> {
  constructor(readonly page: ListFeedDto) {
    super();
  }
}

@QueryHandler(ListFeed)
export class ListFeedHandler implements IQueryHandler<ListFeed> {
  constructor(private readonly feed: FeedReader) {}

  async execute({ page: { cursor, limit } }: ListFeed): Promise<Result<string>> {
    const start = await this.feed.positionOf(cursor);
    if (!start.ok) return start;
    const { entries, upTo, more } = await this.feed.read(start.value, limit);
    const endCursor = JSON.stringify(this.feed.cursorAfter(upTo));
    const data = entries.map(({ text }) => text).join();
    return ok(`{"data":[${data}],"nextCursor":${more ? endCursor : null},"endCursor":${endCursor}}`);
  }
}
