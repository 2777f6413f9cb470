import { SnapshotStore, type Snapshot } from '../src';

/** Snapshots in memory, in the form in which a database would store them. */
export class KeptSnapshots extends SnapshotStore {
  readonly saved: Snapshot[] = [];

  async load(stream: string, version: number): Promise<Snapshot | null> {
    return this.saved.findLast((kept) => kept.stream === stream && kept.version === version) ?? null;
  }

  saveLater(snapshot: Snapshot): void {
    this.saved.push(JSON.parse(JSON.stringify(snapshot)) as Snapshot);
  }
}
