import type { ReadModel } from './projection-batch';
import type { RebuildPace } from './rebuild-course';

/** How much is done at once in a process that has nothing else to do, or by a rebuild that pauses for nothing. */
export interface Pace {
  readonly kind: RebuildPace;
  /** Events of the store that are read at once; the next ones are read while they are folded. */
  readonly pageEvents: number;
  /** What so many events came to is written at once. */
  readonly writtenEvents: number;
}

/** A table that is being built beside those that are read. */
export interface Building extends ReadModel {
  readonly rebuildId: string;
  readonly isOfNewVersion: boolean;
  /** How far it is written. */
  position: number;
  /** How far it is folded, in the rows that are still to be written. */
  folded: number;
  /** Why it cannot go on. */
  failure: string | null;
}
