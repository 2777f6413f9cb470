import { Injectable } from '@nestjs/common';
import { Notices, type Notice } from '@app/notices';
import { LRUCache } from 'lru-cache';

/** Of UTF-16 code units, about. */
const sizeMax = 4_000_000;
const keptMs = 60_000;
/** What a notice takes besides its payload. */
const rest = 1_000;

/** Notices by their places; those that are fresh are not read again. Nothing stays here for long. */
@Injectable()
export class NoticeCache {
  private readonly fresh = new LRUCache<string, Notice>({ maxSize: sizeMax, ttl: keptMs });

  constructor(private readonly notices: Notices) {}

  keep(notice: Notice): void {
    const size = rest + JSON.stringify(notice.payload).length;
    this.fresh.set(keyOf(notice), notice, { size });
  }

  /** Null where the event is none that is told, or not any more. Throws Unavailable. */
  async at(place: Pick<Notice, 'stream' | 'revision'>): Promise<Notice | null> {
    return this.fresh.get(keyOf(place)) ?? this.notices.at(place.stream, place.revision);
  }
}

function keyOf({ stream, revision }: Pick<Notice, 'stream' | 'revision'>): string {
  return `${revision}@${stream}`;
}
