/** Finite reads: a stream or `$all`, forwards or backwards, up to a number of events. */
import { encodeStreamNotFound } from '@app/event-store-wire';
import type { Delivery } from './delivery';
import type { EventLog } from './event-log';
import type { EventFilter } from './filter';
import type { Outlet } from './outlet';
import { isVisible } from '../streams/visibility';

export interface ReadPlan {
  readonly log: EventLog;
  readonly outlet: Outlet;
  readonly delivery: Delivery;
  readonly count: number;
  readonly backwards: boolean;
}

/** Reads from a revision (inclusive). If `from` is beyond the end, it reads nothing forwards, and from the end backwards. */
export async function readStream(plan: ReadPlan, stream: string, from: number): Promise<void> {
  const { log, outlet, backwards } = plan;
  const visible = await log.visibility(stream);
  if (!isVisible(visible)) {
    if (visible.kind === 'stream-deleted') return outlet.end(visible);
    outlet.send(encodeStreamNotFound(stream));
    return outlet.end();
  }
  let next = from;
  let left = plan.count;
  const deliverPage = async (): Promise<boolean> => {
    const page = await (backwards
      ? log.streamBack(stream, next, visible, left)
      : log.streamFrom(stream, next, visible, left));
    await plan.delivery.send(page, (event) => {
      next = event.revision + (backwards ? -1 : 1);
      left--;
    });
    return page.length > 0;
  };
  const isInside = (): boolean => (backwards ? next >= visible.first : next <= visible.last);
  while (left > 0 && isInside() && !outlet.closed && (await deliverPage())) await outlet.room();
  outlet.end();
}

/** Reads `$all` from a position: forwards inclusive, backwards exclusive, up to the last event committed now. */
export async function readAll(plan: ReadPlan, from: number, filter: EventFilter | undefined): Promise<void> {
  const { log, outlet, backwards } = plan;
  const last = log.ring.lastPosition;
  let at = backwards ? from : from - 1;
  let left = plan.count;
  const deliverPage = async (): Promise<void> => {
    const page = await (backwards ? log.allBefore(at, filter, left) : log.allAfter(at, filter, left));
    const all = await plan.delivery.send(page.events.slice(0, left), (event) => {
      at = event.position;
      left--;
    });
    if (all) at = page.considered;
  };
  while (left > 0 && !outlet.closed && (backwards ? at > 1 : at < last)) {
    await deliverPage();
    await outlet.room();
  }
  outlet.end();
}
