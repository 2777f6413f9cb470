/** Where tables stand, by name and by partition, as one projector moves them. */
export class TablePlaces {
  private readonly places = new Map<string, Map<number, number>>();

  /** From now on the table is among them. */
  begin(table: string, positions: ReadonlyMap<number, number>): void {
    this.places.set(table, new Map(positions));
  }

  leave(table: string): void {
    this.places.delete(table);
  }

  clear(): void {
    this.places.clear();
  }

  /** Of each table, that of the partition which is furthest behind. */
  get positions(): ReadonlyMap<string, number> {
    return new Map([...this.places.keys()].map((table) => [table, this.positionOf(table)]));
  }

  /** The same of one; 0 where the table is not among them. */
  positionOf(table: string): number {
    const places = this.places.get(table);
    return places === undefined ? 0 : Math.min(...places.values());
  }

  /** Of one partition; 0 where that is not known. */
  positionIn(table: string, partition: number): number {
    return this.places.get(table)?.get(partition) ?? 0;
  }

  /** The partitions of a table that have not passed the position, and where they are. */
  behind(table: string, position: number): readonly (readonly [number, number])[] {
    return [...(this.places.get(table) ?? [])].filter(([, at]) => at < position);
  }

  /** Every partition of the table has passed the position. */
  move(table: string, position: number): void {
    for (const [partition] of this.behind(table, position)) this.places.get(table)?.set(partition, position);
  }
}
