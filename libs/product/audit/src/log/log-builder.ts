import { Injectable } from '@nestjs/common';
import { EventStore, type ReceivedEvent } from '@app/event-store';
import { Throttle } from '@app/read-store';
import { Probe } from '@app/runtime';
import type { TreeEdge } from '@app/transparency';
import { entryOf, isCovered } from './covered-events';
import { LogTables, type LogPlace } from './log-tables';

/** Events per read: a few megabytes at most. */
const pageEvents = 1_000;

/** Builds the log: adds a leaf for each event of the store, in the store's order. One process builds at a time. */
@Injectable()
export class LogBuilder {
  private known: { place: LogPlace; edge: TreeEdge } | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly tables: LogTables,
    private readonly probe: Probe,
  ) {}

  /** Discards the cached tree and starts from the tables, as a new leader must. */
  forget(): void {
    this.known = null;
  }

  /** Adds what the store holds, until the signal aborts. @returns the tree afterwards. Throws Unavailable. */
  async catchUp(signal: AbortSignal): Promise<{ readonly place: LogPlace; readonly edge: TreeEdge }> {
    const resting = new Throttle();
    const { place: from } = this.known ?? (await this.read());
    for (let reading = this.page(from.position); ;) {
      const events = await reading;
      const last = events.at(-1);
      const isMore = events.length >= pageEvents && !signal.aborted;
      if (last === undefined || !isMore) return this.add(events);
      await resting.pause();
      // Read the next events while these are written.
      reading = this.page(last.position);
      await this.add(events);
    }
  }

  private page(after: number): Promise<ReceivedEvent[]> {
    const reading = this.store.readAllRaw(after, pageEvents);
    reading.catch(() => undefined); // awaited later, unless the addition before it fails
    return reading;
  }

  private async add(events: readonly ReceivedEvent[]) {
    const known = this.known ?? (await this.read());
    const last = events.at(-1);
    if (last === undefined) return known;
    this.known = null; // unknown until the write has succeeded
    const entries = events.filter(isCovered).map((event) => ({ position: event.position, entry: entryOf(event) }));
    this.probe.reached('log:before-commit');
    const place = await this.tables.add(known.place, entries, known.edge, last.position);
    this.probe.reached('log:after-commit');
    return (this.known = { place, edge: known.edge });
  }

  private async read(): Promise<{ place: LogPlace; edge: TreeEdge }> {
    const place = await this.tables.place();
    return (this.known = { place, edge: await this.tables.edge(place.size) });
  }
}
