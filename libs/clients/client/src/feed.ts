import type { EventSourceMessage } from 'eventsource-parser';
import { GarbledStream, parseJson } from './frames.js';
import type { Followed } from './stream.js';
import type { Schemas } from './types.js';

export interface FeedInput {
  /**
   * Begin strictly after this cursor: any `endCursor` of `feed.list`, or the `cursor` of a frame. `now` is the end of
   * the feed at the moment when the stream opens. Default: the beginning.
   */
  readonly after?: string | undefined;
}

/** An event of the feed, and the position after it. */
export interface FeedFrame {
  /** Store it in one transaction with the event's effects, and pass it as `after` when your process restarts. */
  readonly cursor: string;
  /** Distinguish events by `type`. A later version of the service may send types that you do not know. */
  readonly event: Schemas['FeedEvent'];
}

/** The feed, and the position up to which it was read. */
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
    // Reason for the assertion: it has an id and a type; the service's contract defines its other members.
    return { cursor: id, event: event as Schemas['FeedEvent'] };
  }

  passTo(id: string): void {
    this.place = id;
  }
}
