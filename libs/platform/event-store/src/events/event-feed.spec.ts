import { Logger } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Subject } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { counterKind } from '@app/testing/deciders';
import { EventFeed, EventSeen, ofEvents } from './event-feed';
import type { StoredEvent } from './codec';

function event(stream: string, revision: number): StoredEvent {
  const metadata = {
    $correlationId: 'c',
    $causationId: 'c',
    requestId: 'r',
    actor: { kind: 'service', id: 's' },
  } as const;
  return { stream, revision, position: 100 + revision, id: uuidV7(), type: 'counter.counted', payload: {}, metadata };
}

/** The part of an `EventBus` that the feed uses. */
class Bus extends Subject<object> {
  readonly heard: string[] = [];
  readonly feed = new EventFeed();

  constructor() {
    super();
    this.feed.publishOn(this);
    this.subscribe((seen) => {
      if (seen instanceof EventSeen) this.heard.push(`${seen.event.stream}@${seen.event.revision}`);
    });
  }

  publish(news: object): void {
    this.next(news);
  }
}

let errors: jest.SpyInstance;
beforeEach(() => {
  errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

it('brings each event once, the events of a stream in their order', () => {
  const { feed, heard } = new Bus();
  feed.publish([event('a', 0), event('b', 0), event('a', 1)]);
  feed.publish([event('a', 0), event('a', 1), event('a', 2)]);
  // Out of order, too late to be published.
  feed.publish([event('b', 5), event('b', 1)]);
  expect(heard).toEqual(['a@0', 'b@0', 'a@1', 'a@2', 'b@5']);
  expect([feed.newestOf('a'), feed.newestOf('b'), feed.newestOf('c')]).toEqual([2, 5, -1]);
});

it('remembers the newest events of 20,000 streams', () => {
  const { feed, heard } = new Bus();
  for (let n = 0; n <= 20_000; n += 1) feed.publish([event(`s${n}`, 3)]);
  expect([feed.newestOf('s0'), feed.newestOf('s1')]).toEqual([-1, 3]);
  feed.publish([event('s1', 3), event('s0', 3)]);
  expect(heard.slice(20_001)).toEqual(['s0@3']);
});

it('tells what is being appended here from what others append, also before the acknowledgement', async () => {
  const bus = new Bus();
  const own: [number, boolean][] = [];
  bus.subscribe((seen) => {
    if (seen instanceof EventSeen) own.push([seen.event.revision, seen.isOwn]);
  });
  const events = [event('a', 0), event('a', 1)];
  await bus.feed.appending(events, async () => bus.feed.publish([...events, event('a', 2)]));
  const refused = bus.feed.appending([event('a', 3)], async () => Promise.reject(new Error('refused')));
  await expect(refused).rejects.toThrow('refused');
  bus.feed.publish([event('a', 3)]);
  expect(own).toEqual([
    [0, true],
    [1, true],
    [2, false],
    [3, false],
  ]);
});

it('does nothing without a bus', () => {
  const feed = new EventFeed();
  feed.publish([event('a', 0)]);
  expect(feed.newestOf('a')).toBe(-1);
});

it('logs what a subscriber throws, and goes on', async () => {
  const bus = new Bus();
  bus.subscribe(() => {
    throw new Error('a subscriber');
  });
  const { heard } = bus;
  bus.subscribe((seen) => heard.push(seen instanceof EventSeen ? `last ${seen.event.revision}` : 'news'));
  bus.feed.publish([event('a', 0), event('a', 1)]);
  await sleep(10);
  expect(heard).toEqual(['a@0', 'last 0', 'a@1', 'last 1']);
  expect(errors.mock.calls.map(([, error]) => String(error))).toEqual(['Error: a subscriber', 'Error: a subscriber']);
});

it('logs what the bus throws, and goes on', () => {
  const feed = new EventFeed();
  feed.publishOn({
    publish: () => {
      throw new Error('the bus');
    },
  });
  expect(() => feed.publish([event('a', 0), event('a', 1)])).not.toThrow();
  expect(errors).toHaveBeenCalledTimes(2);
});

it('wakes nobody in the context of the request that appended', () => {
  const request = new AsyncLocalStorage<string>();
  const bus = new Bus();
  const contexts: (string | undefined)[] = [];
  bus.subscribe(() => contexts.push(request.getStore()));
  request.run('a request', () => bus.feed.publish([event('a', 0)]));
  expect(contexts).toEqual([undefined]);
});

it('gives a saga the events of the types that it wants, whole, out of the streams of their kind', () => {
  const bus = new Bus();
  const seen: unknown[] = [];
  bus.pipe(ofEvents(counterKind, 'counter.counted')).subscribe(({ streamId, isOwn, event: { n, note } }) => {
    seen.push([streamId, isOwn, n, note]);
  });
  const metadata = { ...event('', 0).metadata, private: { note: 'a note' } };
  const counted = (stream: string) => ({ ...event(stream, 0), payload: { n: 3 }, metadata });
  bus.feed.publish([counted('counter-1'), counted('other-1'), { ...counted('counter-2'), type: 'counter.closed' }]);
  bus.feed.announce({ position: 1 });
  expect(seen).toEqual([['1', false, 3, 'a note']]);
});
