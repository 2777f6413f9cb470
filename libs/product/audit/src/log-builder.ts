import { Injectable } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Resting } from '@app/read-store';
import { Probe } from '@app/runtime';
import type { TreeEdge } from '@app/transparency';
import { entryOf, isCovered } from './covered-events';
import { LogTables, type LogPlace } from './log-tables';

/** Events that are read at once: a few megabytes at most. */
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

  /** Begins from what the tables say, as whoever begins to lead must. */
  forget(): void {
    this.known = null;
  }

  /**
   * Adds all that the store holds, or as much as there is until the signal aborts. @returns the tree as it is then. Throws Unavailable.
   */
  async catchUp(signal: AbortSignal): Promise<{ readonly place: LogPlace; readonly edge: TreeEdge }> {
    const resting = new Resting();
    for (;;) {
      const known = this.known ?? (await this.read());
      const events = await this.store.readAllRaw(known.place.position, pageEvents);
      const last = events.at(-1);
      if (last === undefined) return known;
      this.known = null; // until it is written, nothing is known
      const entries = events.filter(isCovered).map((event) => ({ position: event.position, entry: entryOf(event) }));
      this.probe.reached('log:before-commit');
      const place = await this.tables.add(known.place, entries, known.edge, last.position);
      this.probe.reached('log:after-commit');
      const built = (this.known = { place, edge: known.edge });
      if (events.length < pageEvents || signal.aborted) return built;
      await resting.rest();
    }
  }

  private async read(): Promise<{ place: LogPlace; edge: TreeEdge }> {
    const place = await this.tables.place();
    return (this.known = { place, edge: await this.tables.edge(place.size) });
  }
}
