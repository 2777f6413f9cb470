/** Positions of tables, by name and by partition, as one projector moves them. */
export class TablePositions {
  private readonly places = new Map<string, Map<number, number>>();

  /** Adds a table. */
  track(table: string, positions: ReadonlyMap<number, number>): void {
    this.places.set(table, new Map(positions));
  }

  untrack(table: string): void {
    this.places.delete(table);
  }

  clear(): void {
    this.places.clear();
  }

  /** The position of each table: that of its slowest partition. */
  get positions(): ReadonlyMap<string, number> {
    return new Map([...this.places.keys()].map((table) => [table, this.positionOf(table)]));
  }

  /** The position of one table; 0 if it was not added. */
  positionOf(table: string): number {
    const places = this.places.get(table);
    return places === undefined ? 0 : Math.min(...places.values());
  }

  /** The position of one partition; 0 if it is unknown. */
  positionIn(table: string, partition: number): number {
    return this.places.get(table)?.get(partition) ?? 0;
  }

  /** The partitions of a table that have not passed the position, with their positions. */
  behind(table: string, position: number): readonly (readonly [number, number])[] {
    return [...(this.places.get(table) ?? [])].filter(([, at]) => at < position);
  }

  /** Moves every partition of the table at least to the position. */
  advance(table: string, position: number): void {
    for (const [partition] of this.behind(table, position)) this.places.get(table)?.set(partition, position);
  }
}
