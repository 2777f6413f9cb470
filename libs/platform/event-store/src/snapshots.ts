/** A folded state as it is kept outside of the process; a cache that may be lost at any time. */
export interface Snapshot {
  readonly stream: string;
  readonly version: number;
  readonly revision: number;
  readonly state: unknown;
}

/** Where snapshots are kept; the read store binds it to PostgreSQL. */
export abstract class SnapshotStore {
  /** The newest snapshot of that version, or null; null also when it cannot be read, since the stream itself can. */
  abstract load(stream: string, version: number): Promise<Snapshot | null>;

  /** Keeps the snapshot some time later, or never: the caller does not wait and is not told. */
  abstract saveLater(snapshot: Snapshot): void;
}
