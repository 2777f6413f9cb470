import type { DomainEvent, Recorded, StreamKind } from '@app/event-store';
import { createHash } from 'node:crypto';

/** Every row of a read model remembers the last event that shaped it, so that an event applied twice changes nothing. */
export interface ReadModelRow {
  position: number;
}

/**
 * A read model: one table, one row for each key, each row a pure fold of events.
 * The runner loads the rows that a batch touches, folds, and writes rows, counters and checkpoint in one transaction.
 */
export interface Projection<Row extends ReadModelRow, Event extends DomainEvent> {
  /** That of its first table. */
  readonly name: string;
  /** Raise it when the fold or the row changes: a table of its own is filled beside the present one, which stays as it is. */
  readonly version: number;
  /** The TypeORM entity; it must have exactly one primary column. */
  readonly row: new () => Row;
  /** The kinds of streams whose events it reads. */
  readonly kinds: readonly Pick<StreamKind<unknown, never, Event>, 'category' | 'privateMembers' | 'upcasters'>[];
  /** Primary key of the row that the event belongs to, or null when the event is of no interest. */
  keyOf(this: void, recorded: Recorded<Event>): string | null;
  /**
   * Whether no earlier event has the same key, whatever happened before: then no row of it is there before this event. For events that
   * begin a stream, or bring a fresh id; left out, each row is looked for.
   */
  isFirst?(this: void, recorded: Recorded<Event>): boolean;
  /** Keys of more rows that the event changes where they are there already, so that `project` sees by the row which one it is. */
  moreKeysOf?(this: void, recorded: Recorded<Event>): readonly string[];
  /** Keys of rows that `project` looks at without changing them: of what happened before, nothing that changes what it takes. */
  looksAt?(this: void, recorded: Recorded<Event>): readonly string[];
  /** The row after the event; null leaves it absent. @param rowAt another row of the table, among those that `looksAt` names */
  project(this: void, row: Row | null, recorded: Recorded<Event>, rowAt?: RowAt<Row>): Row | null;
  /** Names of the kept counters in which a row counts (lists answer `total` from them, never from `count(*)`). */
  counters?(this: void, row: Row): readonly string[];
  /** Names of the kept sums to which a row adds, and how much. */
  sums?(this: void, row: Row): Readonly<Record<string, number>>;
}

/** A row of the same table as the events before this one left it. */
export type RowAt<Row> = (key: string) => Row | null;

/** A projection of any row and event; what the runner works with. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of different projections is invariant in both
export type AnyProjection = Projection<any, any>;

/** The categories of streams that these are made of. */
export function categoriesOf(projections: readonly AnyProjection[]): string[] {
  return [...new Set(projections.flatMap(({ kinds }) => kinds.map(({ category }) => category)))];
}

/**
 * What tells programs apart whose read models are not the same: a number for the names and versions of all projections, which is also
 * the lock that the projector of such a program holds.
 * @param work what else one process of such a program does at a time
 */
export function programOf(projections: readonly AnyProjection[], work = ''): number {
  const versions = [...projections.map(({ name, version }) => `${name} ${version}`).sort(), work];
  // 48 bits: a number for JavaScript, and above every lock that has a number of its own.
  return createHash('sha256').update(versions.join('\n')).digest().readUIntBE(0, 6);
}
