import { Injectable } from '@nestjs/common';
import { EventStore, type StoredEvent } from '@app/event-store';
import { Cursors, PageSpace } from '@app/http';
import { ok, type Result } from '@app/kernel';
import { canTell, noticeBody, Notices, toldCategories, type Notice, type NoticeType } from '@app/notices';

/** Events of the store that one page looks through; most of them are no notices. */
const lookedMax = 5_000;
/** How many of them are read at once, and when that is too much in bytes. */
const readEvents = 500;
const readBytesMax = 4 * 1024 * 1024;
/** The end of the feed, as a cursor names it; no cursor is as short. */
const now = 'now';

/** The feed is the deployment's: a partner goes on with its next key where it was. */
const binding = { list: 'feed', userId: '', filters: {} };

/** An event of the feed, as JSON. */
export interface FeedEntry {
  readonly type: NoticeType;
  /** Its place in the store. */
  readonly position: number;
  readonly text: string;
}

export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  /** The position up to which there are no others. */
  readonly upTo: number;
  /** False where the feed ended when it was read. */
  readonly more: boolean;
}

/** Reads what partners are told of straight from the event store: no table, no projector, and nothing else has a part in it. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly store: EventStore,
    private readonly notices: Notices,
    private readonly cursors: Cursors,
  ) {}

  /** A cursor that goes on after a position. */
  cursorAfter(position: number): string {
    return this.cursors.mint(binding, [position]);
  }

  /** The position after which a cursor goes on; 0, the beginning, without one. Refuses with `invalid_cursor`. Throws Unavailable. */
  async positionOf(cursor: string | undefined): Promise<Result<number>> {
    if (cursor === now) return ok(await this.store.endPosition());
    const start = this.cursors.startOf(binding, cursor);
    return start.ok ? ok(start.value ?? 0) : start;
  }

  /**
   * What comes after a position: at most `limit` events and 1 MiB of them, and what is found among the next 5,000 events of the store.
   * Throws Unavailable.
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

  /** Those events that partners are told of. Throws Unavailable. */
  async entriesOf(events: readonly StoredEvent[]): Promise<FeedEntry[]> {
    return (await this.notices.of(events)).map(entryOf);
  }
}

function entryOf(notice: Notice): FeedEntry {
  const { id, type, position } = notice;
  return { type, position, text: JSON.stringify({ id, ...noticeBody(notice, 'thin') }) };
}
