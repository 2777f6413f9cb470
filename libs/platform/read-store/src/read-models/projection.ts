import type { DomainEvent, Recorded, StreamKind } from '@app/event-store';
import { createHash } from 'node:crypto';

/** Every row of a read model keeps the position of the last event that changed it, so that an event applied twice changes nothing. */
export interface ReadModelRow {
  position: number;
}

/**
 * A read model: one table, one row for each key, each row a pure fold of events.
 * The runner loads the rows that a batch touches, folds, and writes rows, counters and the tables' positions in one transaction.
 * @example
 * const usersProjection: Projection<UserRow, UserEvent> = {
 *   name: 'users', version: 1, row: UserRow, kinds: [userKind],
 *   keyOf: ({ stream }) => idInStream(userKind, stream),
 *   project: (row, { event, position }) => (event.type === 'user.disabled' ? row && { ...row, disabled: true, position } : row),
 * };
 */
export interface Projection<Row extends ReadModelRow, Event extends DomainEvent> {
  /** Name of its first table. */
  readonly name: string;
  /** Raise it when the fold or the row changes: a new table is filled in parallel, and the present one stays as it is. */
  readonly version: number;
  /** The TypeORM entity; it must have exactly one primary column. */
  readonly row: new () => Row;
  /** The kinds of streams whose events it reads. */
  readonly kinds: readonly Pick<StreamKind<unknown, never, Event>, 'category' | 'privateMembers' | 'upcasters'>[];
  /** Primary key of the row that the event belongs to, or null if the event is of no interest. */
  keyOf(this: void, recorded: Recorded<Event>): string | null;
  /**
   * Whether no earlier event can have the same key: then no row of it exists before this event. For events that begin a stream or bring a
   * fresh id; if absent, each row is selected.
   */
  isFirst?(this: void, recorded: Recorded<Event>): boolean;
  /** Keys of more rows that the event changes if they exist, so that `project` can see from the row which one it is. */
  moreKeysOf?(this: void, recorded: Recorded<Event>): readonly string[];
  /** Keys of rows that `project` reads without changing them. It may take only values from them that no later event changes. */
  looksAt?(this: void, recorded: Recorded<Event>): readonly string[];
  /** The row after the event; null leaves it absent. @param rowAt reads another row of the table, among those that `looksAt` names */
  project(this: void, row: Row | null, recorded: Recorded<Event>, rowAt?: RowAt<Row>): Row | null;
  /** Names of the kept counters in which a row counts (lists take `total` from them, never from `count(*)`). */
  counters?(this: void, row: Row): readonly string[];
  /** Names of the kept sums to which a row contributes, and by how much. */
  sums?(this: void, row: Row): Readonly<Record<string, number>>;
}

/** A row of the same table as the events before this one left it. */
export type RowAt<Row> = (key: string) => Row | null;

/** A projection of any row and event, as the runner handles it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list of different projections is invariant in both
export type AnyProjection = Projection<any, any>;

/** The categories of the streams that these projections read. */
export function categoriesOf(projections: readonly AnyProjection[]): string[] {
  return [...new Set(projections.flatMap(({ kinds }) => kinds.map(({ category }) => category)))];
}

/**
 * A number that identifies programs with the same read models, derived from the names and versions of all projections. It is also the lock
 * that the projector of such a program holds.
 * @param work other work that one process of such a program does at a time
 */
export function programOf(projections: readonly AnyProjection[], work = ''): number {
  const versions = [...projections.map(({ name, version }) => `${name} ${version}`).sort(), work];
  // 48 bits: a safe integer in JavaScript, and above every lock that has a fixed number.
  return createHash('sha256').update(versions.join('\n')).digest().readUIntBE(0, 6);
}
