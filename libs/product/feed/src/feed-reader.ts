import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore, type StoredEvent } from '@app/event-store';
import { Cursors, PageSpace } from '@app/http';
import { ok, type Result } from '@app/kernel';
import { canTell, noticeBody, Notices, toldCategories, type Notice, type NoticeType } from '@app/notices';
import type { ListFeedDto } from './feed.dto';

/** Maximum number of events of the store that one page examines; most of them are no notices. */
const lookedMax = 5_000;
/** Limits of one read of them, in events and in bytes. */
const readEvents = 500;
const readBytesMax = 4 * 1024 * 1024;
/** The cursor that means the end of the feed; no other cursor is as short. */
const now = 'now';

/** The feed belongs to the deployment, so a partner's next key continues with the same cursor. */
const binding = { list: 'feed', userId: '', filters: {} };

/** An event of the feed, as JSON. */
export interface FeedEntry {
  readonly type: NoticeType;
  /** Position in the store. */
  readonly position: number;
  readonly text: string;
}

export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  /** The entries are complete up to this position. */
  readonly upTo: number;
  /** False if the end of the feed was reached. */
  readonly more: boolean;
}

/** Reads notices straight from the event store: no table and no projector takes part. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly store: EventStore,
    private readonly notices: Notices,
    private readonly cursors: Cursors,
  ) {}

  /** The cursor that continues after a position. */
  cursorAfter(position: number): string {
    return this.cursors.mint(binding, [position]);
  }

  /** The position that a cursor continues after; 0, the beginning, without one. Refuses with `invalid_cursor`. Throws Unavailable. */
  async positionOf(cursor: string | undefined): Promise<Result<number>> {
    if (cursor === now) return ok(await this.store.endPosition());
    const start = this.cursors.startOf(binding, cursor);
    return start.ok ? ok(start.value ?? 0) : start;
  }

  /**
   * The notices after a position: at most `limit`, at most 1 MiB, and only those among the next 5,000 events of the
   * store. Throws Unavailable.
   */
  async read(after: number, limit: number): Promise<FeedPage> {
    const entries: FeedEntry[] = [];
    const space = new PageSpace();
    let upTo = after;
    for (let looked = 0; looked < lookedMax; looked += readEvents) {
      const page = await this.store.readCategories(toldCategories, upTo, readEvents, {
        type: canTell,
        bytesMax: readBytesMax,
      });
      for (const entry of await this.entriesOf(page.events)) {
        if (entries.length === limit || !space.hasRoomFor(entry.text)) return { entries, upTo, more: true };
        entries.push(entry);
        upTo = entry.position;
      }
      upTo = page.upTo;
      if (!page.more) return { entries, upTo, more: false };
      if (entries.length === limit) break;
    }
    return { entries, upTo, more: true };
  }

  /** The entries of those events that are notices. Throws Unavailable. */
  async entriesOf(events: readonly StoredEvent[]): Promise<FeedEntry[]> {
    return (await this.notices.of(events)).map(entryOf);
  }
}

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

function entryOf(notice: Notice): FeedEntry {
  const { id, type, position } = notice;
  return { type, position, text: JSON.stringify({ id, ...noticeBody(notice, 'thin') }) };
}
