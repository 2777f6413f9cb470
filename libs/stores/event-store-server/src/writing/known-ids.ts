import type { IdPlace } from '../storage/heads-table';

/** Where the newest event ids were first stored; beyond the bound, a new one replaces the oldest. */
export class KnownIds {
  private readonly places = new Map<string, IdPlace>();
  /** The ids in order of arrival, as a ring: a map's own order would have to be walked past all that was deleted. */
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
    // An id that comes again, in another stream, keeps its first place.
    if (!this.places.has(place.id)) this.places.set(place.id, place);
  }

  clear(): void {
    this.places.clear();
    this.arrivals.length = 0;
    this.next = 0;
  }
}
