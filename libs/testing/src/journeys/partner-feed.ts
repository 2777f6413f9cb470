import type { EventStore } from '@app/event-store';
import { noticeBody, Notices, toldCategories } from '@app/notices';
import type { ToldEvent } from '../client';

/** Returns the events that the feed of a deployment must have, computed from the whole store. */
export async function partnerFeedOf(store: EventStore): Promise<ToldEvent[]> {
  const all: ToldEvent[] = [];
  const notices = new Notices(store);
  for (let [after, more] = [0, true]; more;) {
    const page = await store.readCategories(toldCategories, after, 500);
    const found = await notices.of(page.events);
    all.push(...found.map((notice) => ({ id: notice.id, ...toldData(noticeBody(notice, 'thin')) })));
    [after, more] = [page.upTo, page.more];
  }
  return all;
}

function toldData({ type, timestamp, data }: ReturnType<typeof noticeBody>): Omit<ToldEvent, 'id'> {
  return { type, timestamp, data: { ...data } };
}
