import type { ReadModel } from '../read-models/projection-batch';
import type { RebuildPace } from '../tables/rebuild';

/** How much is done at once in an idle process, or by a rebuild at full pace. */
export interface Pace {
  readonly kind: RebuildPace;
  /** Events that one read of the store returns; the next page is read while this one is folded. */
  readonly pageEvents: number;
  /** Rows are written after this many events. */
  readonly writtenEvents: number;
}

/** A table that is built while others are read. */
export interface Building extends ReadModel {
  readonly rebuildId: string;
  readonly isOfNewVersion: boolean;
  /** Position up to which its rows are written. */
  position: number;
  /** Position up to which events are folded, including the unwritten rows. */
  folded: number;
  /** Why building cannot go on; null while it can. */
  failure: string | null;
}
