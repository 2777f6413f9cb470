import type { EventSourceMessage } from 'eventsource-parser';
import { GarbledStream, parseJson } from './frames.js';
import type { Followed } from './stream.js';
import type { Schemas } from './types.js';

export interface FeedInput {
  /**
   * Begin strictly after this cursor: any `endCursor` of `feed.list`, or the `cursor` of a frame. `now` is the end as it is when the
   * stream opens; absent, it begins at the beginning.
   */
  readonly after?: string | undefined;
}

/** An event of the feed, and the place behind it. */
export interface FeedFrame {
  /** Keep it with what you did about the event, in one transaction, and give it as `after` when your process starts again. */
  readonly cursor: string;
  /** Tell them apart by `type`. Types that you do not know may come of a later version. */
  readonly event: Schemas['FeedEvent'];
}

/** The feed, read so far. */
export class FollowedFeed implements Followed<FeedFrame> {
  readonly forUser = false;
  readonly url: string;
  place: string | undefined;

  constructor(baseUrl: string, { after }: FeedInput) {
    this.url = `${baseUrl}/feed/v1/stream`;
    this.place = after;
  }

  take({ id, data }: EventSourceMessage): FeedFrame {
    const event = parseJson(data);
    const isEvent =
      typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string' && 'id' in event;
    if (id === undefined || !isEvent) throw new GarbledStream('no event of the feed');
    this.place = id;
    // Reason for the assertion: it has an id and a type, and what else it has is the service's contract.
    return { cursor: id, event: event as Schemas['FeedEvent'] };
  }

  passTo(id: string): void {
    this.place = id;
  }
}
