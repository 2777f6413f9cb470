import type { IdPlace } from '../storage/heads-table';

/** The first place of each of the newest event ids; beyond the limit, a new one replaces the oldest. */
export class KnownIds {
  private readonly places = new Map<string, IdPlace>();
  /** The ids in order of arrival, as a ring, because iterating a map in its own order would have to pass all deleted entries. */
  private readonly arrivals: IdPlace[] = [];
  private next = 0;

  constructor(private readonly countMax: number) {}

  find(id: string): IdPlace | undefined {
    return this.places.get(id);
  }

  add(place: IdPlace): void {
    const oldest = this.arrivals[this.next];
    if (oldest && this.places.get(oldest.id) === oldest) this.places.delete(oldest.id);
    this.arrivals[this.next] = place;
    this.next = (this.next + 1) % this.countMax;
    // An id that is stored again, in another stream, keeps its first place.
    if (!this.places.has(place.id)) this.places.set(place.id, place);
  }

  clear(): void {
    this.places.clear();
    this.arrivals.length = 0;
    this.next = 0;
  }
}
