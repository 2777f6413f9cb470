import { cursor, Member, pageLimit, QueryMember } from '@app/http';
import { feedLimitMax } from './feed.schema';

const feedLimitDefault = 100;

export class ListFeedDto {
  @Member(
    cursor(
      'Where to go on: any `nextCursor`, `endCursor` or SSE `id` of the feed. `now` is its end; the beginning when absent',
    ),
  )
  cursor?: string;

  @QueryMember(pageLimit({ max: feedLimitMax, absent: feedLimitDefault }))
  limit: number;
}

export class StreamFeedDto {
  @Member(
    cursor(
      'Where to go on, as `feed.list` takes it: `now`, or the beginning when absent. Ignored where the request has a `Last-Event-ID`',
    ),
  )
  cursor?: string;
}
