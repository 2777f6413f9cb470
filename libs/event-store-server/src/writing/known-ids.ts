import type { IdPlace } from '../storage/heads-table';

/** Where the newest event ids stand; the oldest is forgotten when a new one comes beyond the bound. */
export class KnownIds {
  private readonly places = new Map<string, IdPlace>();

  constructor(private readonly countMax: number) {}

  find(id: string): IdPlace | undefined {
    return this.places.get(id);
  }

  add(place: IdPlace): void {
    this.places.delete(place.id);
    this.places.set(place.id, place);
    if (this.places.size <= this.countMax) return;
    for (const oldest of this.places.keys()) {
      this.places.delete(oldest);
      return;
    }
  }

  clear(): void {
    this.places.clear();
  }
}
