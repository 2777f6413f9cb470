import { setImmediate as nextTurn } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { LINK_TYPE, baseStreamOf, canExist, type FramedEvent } from '../event';
import { HEADS_AT_ONCE_MAX, PAGE_EVENTS_MAX } from '../limits';
import { firstOfAge, readAllPage, readNames, readStreamPage } from '../storage/events-table';
import type { AllSpan, StreamSpan } from '../storage/events-table';
import { loadHeads } from '../storage/heads-table';
import { poolForPage, type ReaderPools } from '../storage/reader-pools';
import { NO_HEAD, type Head } from '../streams/head';
import { windowOf, type EventFilter } from './filter';
import type { Ring } from './ring';
import { Lane } from './lane';
import { isVisible, visibilityOf, type Visibility, type VisibleRevisions } from '../streams/visibility';

/** A part of `$all`. Every position up to `considered` has been examined; `events` are those that matched. */
export interface AllPage {
  readonly events: readonly FramedEvent[];
  readonly considered: number;
}

/** An event for a reader that resolves links; `event` is missing when the link has no target. */
export interface Resolved {
  readonly event: FramedEvent | undefined;
  readonly link: FramedEvent | undefined;
}

const windowSize = (filter: EventFilter | undefined): number => (filter ? windowOf(filter) : PAGE_EVENTS_MAX);

const endOf = ({ from, to, descending }: Pick<AllSpan, 'from' | 'to' | 'descending'>): number =>
  descending ? from : to;

/**
 * Committed events: the recent ones from the ring, older ones from PostgreSQL, a limited page at a time. A page of `$all` takes a turn of
 * the event loop, so that a reader that searches all of it, and is sent next to nothing, blocks no other.
 */
export class EventLog {
  /** Combines the head lookups of thousands of subscriptions that start at once. Nothing is cached, because heads change. */
  private readonly headLoader: DataLoader<string, Head>;
  /** For a caller that delivers more than a client takes at once. */
  readonly lane = new Lane();

  constructor(
    readonly ring: Ring,
    private readonly pools: ReaderPools,
    private readonly knownHead: (baseStream: string) => Readonly<Head> | undefined,
  ) {
    const load = async (bases: readonly string[]): Promise<(Head | Error)[]> => {
      const heads = await loadHeads(pools.quick, bases);
      return bases.map((base) => heads.get(base) ?? new Error(`no head was read for "${base}"`));
    };
    this.headLoader = new DataLoader(load, {
      cache: false,
      maxBatchSize: HEADS_AT_ONCE_MAX,
      batchScheduleFn: setImmediate,
    });
  }

  async head(stream: string): Promise<Readonly<Head>> {
    const base = baseStreamOf(stream);
    // Lookups share a query, so one that must fail would fail the others.
    if (!canExist(base)) return NO_HEAD;
    return this.knownHead(base) ?? this.headLoader.load(base);
  }

  async visibility(stream: string): Promise<Visibility> {
    return visibilityOf(stream, await this.head(stream), Date.now());
  }

  /** The visibility of a tombstoned stream before its end. */
  async visibilityBeforeTombstone(stream: string): Promise<Visibility> {
    return visibilityOf(stream, { ...(await this.head(stream)), tombstoned: false }, Date.now());
  }

  /** The events after a position, when the ring has them. */
  private recentAfter(position: number, filter: EventFilter | undefined): AllPage | undefined {
    if (!this.ring.covers(position)) return undefined;
    const considered = Math.min(this.ring.lastPosition, position + PAGE_EVENTS_MAX);
    const events: FramedEvent[] = [];
    for (let at = position + 1; at <= considered; at++) {
      const event = this.ring.at(at);
      if (event && (!filter || filter.matches(event))) events.push(event);
    }
    return { events, considered };
  }

  /** The events after a position, up to the last committed one; at most `count` of them from PostgreSQL. */
  async allAfter(position: number, filter: EventFilter | undefined, count = PAGE_EVENTS_MAX): Promise<AllPage> {
    const recent = this.recentAfter(position, filter);
    if (recent) return nextTurn(recent);
    const to = Math.min(this.ring.lastPosition, position + windowSize(filter));
    return this.allPage({ from: position + 1, to, descending: false }, filter, count);
  }

  /** At most `count` events before a position, backwards. `considered` is the lowest position examined. */
  async allBefore(position: number, filter: EventFilter | undefined, count: number): Promise<AllPage> {
    const to = Math.min(position - 1, this.ring.lastPosition);
    const recent = this.recentUpTo(to, filter, count);
    if (recent) return nextTurn(recent);
    const from = Math.max(1, to - windowSize(filter) + 1);
    return this.allPage({ from, to, descending: true }, filter, count);
  }

  /** The events up to a position that the ring holds, newest first; undefined when it holds none. Needed to find the end of `$all`. */
  private recentUpTo(position: number, filter: EventFilter | undefined, count: number): AllPage | undefined {
    const lowest = Math.max(1, position - PAGE_EVENTS_MAX + 1);
    const events: FramedEvent[] = [];
    let at = position;
    for (; at >= lowest && events.length < count && this.ring.covers(at - 1); at--) {
      const event = this.ring.at(at);
      if (event && (!filter || filter.matches(event))) events.push(event);
    }
    return at === position ? undefined : { events, considered: at + 1 };
  }

  /** A regular expression is tested against the names in a span first: when none matches, no event is read. */
  private async allPage(
    span: Omit<AllSpan, 'wanted'>,
    filter: EventFilter | undefined,
    count: number,
  ): Promise<AllPage> {
    if (!filter) return this.wantedPage({ ...span, wanted: undefined }, count);
    const { on, prefixes } = filter;
    if (prefixes) return this.wantedPage({ ...span, wanted: { on, by: 'prefix', values: prefixes } }, count);
    const values = (await readNames(this.pools.bulk, span, on)).filter((name) => filter.accepts(name));
    if (values.length === 0) return { events: [], considered: endOf(span) };
    return this.wantedPage({ ...span, wanted: { on, by: 'name', values } }, count);
  }

  private async wantedPage(span: AllSpan, count: number): Promise<AllPage> {
    const limit = Math.min(count, PAGE_EVENTS_MAX);
    const { events, cut } = await readAllPage(this.pools.bulk, span, limit);
    const isWhole = !cut && events.length < limit;
    return { events, considered: isWhole ? endOf(span) : (events.at(-1)?.position ?? endOf(span)) };
  }

  /** The visible events of a stream from a revision on. An empty page is the end. */
  async streamFrom(stream: string, revision: number, visible: VisibleRevisions, count: number): Promise<FramedEvent[]> {
    const from = Math.max(revision, visible.first);
    if (from > visible.last) return [];
    const limit = Math.min(count, PAGE_EVENTS_MAX);
    const recent = visible.createdMsMin === 0 ? this.ring.streamFrom(stream, from, limit) : undefined;
    if (recent) return recent.filter((event) => event.revision <= visible.last);
    const span = { stream, from, to: visible.last, createdMsMin: visible.createdMsMin, descending: false };
    return this.streamPage(span, limit);
  }

  /** The same backwards. */
  async streamBack(stream: string, revision: number, visible: VisibleRevisions, count: number): Promise<FramedEvent[]> {
    const to = Math.min(revision, visible.last);
    if (to < visible.first) return [];
    const limit = Math.min(count, PAGE_EVENTS_MAX);
    const from = Math.max(visible.first, to - limit + 1);
    const recent = visible.createdMsMin === 0 ? this.ring.streamFrom(stream, from, to - from + 1) : undefined;
    if (recent?.length === to - from + 1) return recent.reverse();
    const span = { stream, from: visible.first, to, createdMsMin: visible.createdMsMin, descending: true };
    return this.streamPage(span, limit);
  }

  private async streamPage(span: StreamSpan, countMax: number): Promise<FramedEvent[]> {
    // Otherwise every page would scan all expired events.
    const from = span.createdMsMin === 0 ? span.from : await firstOfAge(this.pools.quick, span);
    const count = Math.min(countMax, span.to - from + 1);
    if (count <= 0) return [];
    return (await readStreamPage(poolForPage(this.pools, count), { ...span, from }, count)).events;
  }

  /** Follows a link event (`revision@stream`) by one step; any other event resolves to itself. */
  async resolve(event: FramedEvent): Promise<Resolved> {
    if (event.type !== LINK_TYPE) return { event, link: undefined };
    const [, revision = '', stream = ''] = /^(\d+)@(.+)$/s.exec(Buffer.from(event.data).toString('utf8')) ?? [];
    if (stream === '') return { event: undefined, link: event };
    const visible = await this.visibility(stream);
    const at = Number(revision);
    const target = isVisible(visible) ? (await this.streamFrom(stream, at, visible, 1))[0] : undefined;
    return { event: target?.revision === at ? target : undefined, link: event };
  }
}
