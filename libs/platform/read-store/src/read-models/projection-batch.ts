import { decodeEvent, type DomainEvent, type Recorded, type StoredEvent } from '@app/event-store';
import type { EntityMetadata } from 'typeorm';
import type { RowCache } from './row-cache';
import type { AnyProjection, ReadModelRow } from './projection';
import type { Statement } from '../postgres/statement';

type Rows = Map<string, ReadModelRow>;

/** A projection and a table that it fills: the first one of its entity, or one with the same columns. */
export interface ReadModel {
  readonly projection: AnyProjection;
  readonly metadata: EntityMetadata;
  readonly table: string;
  /** Events that it skips, as `<stream> <revision>`. */
  readonly skipped?: ReadonlySet<string> | undefined;
  /** Events up to this position may already have been applied; 0 when absent. */
  readonly certainFrom?: number;
}

interface Touched {
  readonly key: string;
  readonly recorded: Recorded<DomainEvent>;
  readonly mayBegin: boolean;
}

/** A row after a batch of events. */
export interface ChangedRow {
  readonly key: string;
  readonly row: ReadModelRow;
  /** The row before the batch; null if none was found, or if none was read because none can exist. */
  readonly before: ReadModelRow | null;
}

/** The changes of a batch of events in one table. Rows and counters must be stored together with the table's position, all or none. */
export interface BatchChanges {
  readonly readModel: ReadModel;
  readonly rows: readonly ChangedRow[];
  /** Changes of kept counters and sums, by name. */
  readonly counters: ReadonlyMap<string, number>;
  /** Number of events that concern it. */
  readonly events: number;
  /** To be called once the changes are stored: from then on the rows are cached. */
  keep(this: void): void;
}

/** Selects rows, as `Database.query` does. */
export type Select = (sql: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Folds a batch of events, in order, into the rows of one read model. One statement reads the rows that are not cached; nothing is written.
 * Events at or before a row's own position are ignored.
 * @param known cached rows, to none of which any event of the batch has been applied
 */
export async function foldBatch(
  select: Select,
  readModel: ReadModel,
  events: readonly StoredEvent[],
  known: RowCache | null = null,
): Promise<BatchChanges> {
  const { projection, table, skipped } = readModel;
  const applied = skipped === undefined ? events : events.filter((event) => !skipped.has(eventName(event)));
  const touched = withKeys(projection, applied);
  const before = await rowsBefore(select, readModel, touched, known);
  const after: Rows = new Map();
  const rowAt = (key: string) => after.get(key) ?? before.get(key) ?? null;
  for (const { key, recorded, mayBegin } of touched) {
    const row = rowAt(key);
    if (row === null ? !mayBegin : row.position >= recorded.position) continue;
    // Reason for the assertion: the projection's own row type, erased in a list of projections.
    const next = projection.project(row, recorded, rowAt) as ReadModelRow | null;
    if (next === null) continue;
    after.set(key, next.position === recorded.position ? next : { ...next, position: recorded.position });
  }
  const rows = Array.from(after, ([key, row]) => ({ key, row, before: before.get(key) ?? null }));
  return {
    readModel,
    rows,
    get counters() {
      return countersOf(readModel, rows);
    },
    events: touched.length,
    keep: () => {
      for (const { key, row } of rows) known?.set(table, key, row);
    },
  };
}

/** The rows that the events change or read, before the batch; one SELECT reads those that are not cached. */
async function rowsBefore(
  select: Select,
  readModel: ReadModel,
  touched: readonly Touched[],
  known: RowCache | null,
): Promise<Rows> {
  const { projection, table, certainFrom = 0 } = readModel;
  const rows: Rows = new Map();
  const [made, missing] = [new Set<string>(), new Set<string>()];
  const look = (key: string): void => {
    if (made.has(key) || rows.has(key) || missing.has(key)) return;
    const row = known?.get(table, key);
    if (row === undefined) missing.add(key);
    else if (row !== null) rows.set(key, row);
  };
  const isNew = ({ recorded, mayBegin }: Touched): boolean =>
    known !== null && mayBegin && recorded.position > certainFrom && projection.isFirst?.(recorded) === true;
  for (const event of touched) {
    const { key, recorded } = event;
    if (isNew(event)) made.add(key);
    else look(key);
    for (const looked of projection.looksAt?.(recorded) ?? []) look(looked);
  }
  if (missing.size === 0) return rows;
  const selected = await selectRows(select, readModel, [...missing]);
  for (const key of missing) {
    const row = selected.get(key) ?? null;
    known?.set(table, key, row);
    if (row !== null) rows.set(key, row);
  }
  return rows;
}

/** The name of an event among the skipped ones. */
function eventName({ stream, revision }: StoredEvent): string {
  return `${stream} ${revision}`;
}

type Kind = AnyProjection['kinds'][number];

/** The character between a stream's category and its id. */
const dash = '-'.charCodeAt(0);

function withKeys(projection: AnyProjection, events: readonly StoredEvent[]): Touched[] {
  const touched: Touched[] = [];
  for (const stored of events) {
    const kind = projection.kinds.find((one) => isOf(one, stored));
    if (kind === undefined) continue;
    const recorded: Recorded<DomainEvent> = decodeEvent(kind, stored);
    const key = projection.keyOf(recorded);
    if (key !== null) touched.push({ key, recorded, mayBegin: true });
    for (const more of projection.moreKeysOf?.(recorded) ?? []) touched.push({ key: more, recorded, mayBegin: false });
  }
  return touched;
}

function isOf({ category }: Kind, { stream }: StoredEvent): boolean {
  return stream.charCodeAt(category.length) === dash && stream.startsWith(category);
}

async function selectRows(select: Select, { metadata, table }: ReadModel, keys: string[]): Promise<Rows> {
  const key = primaryOf(metadata);
  const raw = await select(`SELECT * FROM "${table}" WHERE "${key.databaseName}" = ANY($1)`, [keys]);
  return new Map(raw.map((columns) => [String(columns[key.databaseName]), fromColumns(metadata, columns)]));
}

function fromColumns(metadata: EntityMetadata, columns: Record<string, unknown>): ReadModelRow {
  const entries = metadata.columns.map(({ propertyName, databaseName }) => [propertyName, columns[databaseName]]);
  // Reason for the assertion: the columns of the entity are the members of its row type.
  return Object.fromEntries(entries) as ReadModelRow;
}

/** A row as JSON, by the names of its columns. */
function columnsText({ metadata }: ReadModel, row: object): string {
  const columns = metadata.columns.map(({ databaseName, propertyName }) => [
    databaseName,
    // Reason for the assertion: a row is read by its entity's own column list.
    (row as Record<string, unknown>)[propertyName],
  ]);
  return JSON.stringify(Object.fromEntries(columns));
}

/** Inserts or updates rows; no statement if there are none. */
export function upsertOf(readModel: ReadModel, rows: readonly ChangedRow[]): Statement[] {
  const { metadata, table } = readModel;
  if (rows.length === 0) return [];
  const key = primaryOf(metadata).databaseName;
  const names = metadata.columns.map(({ databaseName }) => databaseName);
  const updates = names.filter((name) => name !== key).map((name) => `"${name}" = excluded."${name}"`);
  const text = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')})
     SELECT ${names.map((name) => `"${name}"`).join(', ')} FROM json_populate_recordset(NULL::"${table}", $1)
     ON CONFLICT ("${key}") DO UPDATE SET ${updates.join(', ')}`;
  return [{ text, values: [`[${rows.map(({ row }) => columnsText(readModel, row)).join(',')}]`] }];
}

/** The column that identifies a row. @throws Error when there are several */
export function primaryOf(metadata: EntityMetadata): EntityMetadata['primaryColumns'][number] {
  const [key, ...others] = metadata.primaryColumns;
  if (key === undefined || others.length > 0) throw new Error(`${metadata.tableName} must have one primary column`);
  return key;
}

/** Changes of kept counters and sums by these rows, by name. */
export function countersOf({ projection, table }: ReadModel, rows: readonly ChangedRow[]): Map<string, number> {
  const changes = new Map<string, number>();
  if (projection.counters === undefined) return changes;
  const change = (name: string, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  const add = (row: ReadModelRow, by: 1 | -1) => {
    for (const name of projection.counters?.(row) ?? []) change(name, by);
    for (const [name, amount] of Object.entries(projection.sums?.(row) ?? {})) change(name, by * amount);
  };
  for (const { row, before } of rows) {
    if (before !== null) add(before, -1);
    add(row, 1);
  }
  return new Map([...changes].filter(([, by]) => by !== 0).map(([name, by]) => [`${table}/${name}`, by]));
}

/** Adds to kept counters and sums, for several read models at once, because their names differ. */
export function bumpCounters(changes: readonly ReadonlyMap<string, number>[]): Statement[] {
  const entries = changes.flatMap((counters) => [...counters]);
  if (entries.length === 0) return [];
  const text = `INSERT INTO list_counters (name, projection, total)
     SELECT name, split_part(name, '/', 1), by FROM unnest($1::text[], $2::bigint[]) AS change (name, by)
     ON CONFLICT (name) DO UPDATE SET total = list_counters.total + excluded.total`;
  return [{ text, values: [entries.map(([name]) => name), entries.map(([, by]) => by)] }];
}
