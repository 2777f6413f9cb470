import type { SealedFor } from '@app/sealing';

/** A folded state stored outside of the process; a cache that may be lost at any time. */
export interface Snapshot {
  readonly stream: string;
  readonly version: number;
  readonly revision: number;
  readonly state: unknown;
}

/** A snapshot that is to be stored. */
export interface SnapshotToSave extends Snapshot {
  /** The key that seals the state; absent where it has no words of persons. */
  readonly sealedFor?: SealedFor | undefined;
}

/** Storage of snapshots; the read store implements it on PostgreSQL. */
export abstract class SnapshotStore {
  /** Returns the newest snapshot of that version, or null; null also when it cannot be read, because the stream itself can. */
  abstract load(stream: string, version: number): Promise<Snapshot | null>;

  /** Saves the snapshot some time later, or never: the caller does not wait and is not notified. */
  abstract saveLater(snapshot: SnapshotToSave): void;
}
