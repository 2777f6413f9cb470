import { randomUUID } from 'node:crypto';
import { PAGE_EVENTS_MAX } from '../limits';
import { openReaderPools } from '../storage/reader-pools';
import { frameEvent } from '@app/event-store-wire';
import { EventLog, type AllPage } from './event-log';
import type { EventFilter } from './filter';
import { Ring } from './ring';

const pages = 10;
const last = pages * PAGE_EVENTS_MAX;
const nothing: EventFilter = {
  on: 'type',
  matches: () => false,
  accepts: () => false,
  prefixes: undefined,
  checkpointEvery: Infinity,
};

/** Everything is in the ring, so PostgreSQL is not queried. */
function filledLog(): EventLog {
  const ring = new Ring();
  const bytes = Buffer.alloc(0);
  const event = { type: 't', isJson: false, data: bytes, metadata: bytes, stream: 's', createdMs: 0 };
  for (let position = 1; position <= last; position++)
    ring.append([frameEvent({ ...event, id: randomUUID(), position, revision: position - 1 })]);
  return new EventLog(
    ring,
    openReaderPools('postgres://nowhere', () => undefined),
    () => undefined,
  );
}

test.each(['forwards', 'backwards'])(
  'a reader that looks through all events %s and wants none lets others in between',
  async (direction) => {
    const log = filledLog();
    let turns = 0;
    let isDone = false;
    const other = (): void => {
      turns++;
      if (!isDone) setImmediate(other);
    };
    setImmediate(other);
    const step = (at: number): Promise<AllPage> =>
      direction === 'forwards' ? log.allAfter(at, nothing) : log.allBefore(at, nothing, PAGE_EVENTS_MAX);
    let at = direction === 'forwards' ? 0 : last + 1;
    while (direction === 'forwards' ? at < last : at > 1) at = (await step(at)).considered;
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(pages - 1);
  },
);
