import { Injectable } from '@nestjs/common';
import { Notices, type Notice } from '@app/notices';
import { LRUCache } from 'lru-cache';

/** In UTF-16 code units, approximately. */
const sizeMax = 4_000_000;
const keptMs = 60_000;
/** Estimated size of a notice without its payload. */
const rest = 1_000;

/** Caches notices by stream and revision for a minute, so that fresh ones are not read again. */
@Injectable()
export class NoticeCache {
  private readonly fresh = new LRUCache<string, Notice>({ maxSize: sizeMax, ttl: keptMs });

  constructor(private readonly notices: Notices) {}

  keep(notice: Notice): void {
    const size = rest + JSON.stringify(notice.payload).length;
    this.fresh.set(keyOf(notice), notice, { size });
  }

  /** Null if the event is not published to partners, or no longer. Throws Unavailable. */
  async at(place: Pick<Notice, 'stream' | 'revision'>): Promise<Notice | null> {
    return this.fresh.get(keyOf(place)) ?? this.notices.at(place.stream, place.revision);
  }
}

function keyOf({ stream, revision }: Pick<Notice, 'stream' | 'revision'>): string {
  return `${revision}@${stream}`;
}
