import { decodeEvent, type DomainEvent, type Recorded, type StoredEvent } from '@app/event-store';
import type { EntityMetadata } from 'typeorm';
import type { Statement } from './database';
import type { KnownRows } from './known-rows';
import type { AnyProjection, ReadModelRow } from './projection';

type Rows = Map<string, ReadModelRow>;

/** A projection, and a table that it fills: the first one of its entity, or one with the same columns. */
export interface ReadModel {
  readonly projection: AnyProjection;
  readonly metadata: EntityMetadata;
  readonly table: string;
  /** Events that it passes over, as `<stream> <revision>`. */
  readonly skipped?: ReadonlySet<string> | undefined;
}

interface Touched {
  readonly key: string;
  readonly recorded: Recorded<DomainEvent>;
  readonly mayBegin: boolean;
}

/** A row as a batch of events leaves it. */
export interface ChangedRow {
  readonly key: string;
  readonly row: ReadModelRow;
  /** As JSON, by the names of its columns. */
  readonly text: string;
  /** Whether none was found before, or none was looked for, since there can be none. */
  readonly isNew: boolean;
}

/** What a batch of events comes to in one table; rows and counters have to be stored with the place of the table, all or none. */
export interface BatchChanges {
  readonly readModel: ReadModel;
  readonly rows: readonly ChangedRow[];
  /** By how much kept counters and sums change, by their names. */
  readonly counters: ReadonlyMap<string, number>;
  /** To be called once that is stored: from then on the rows are known. */
  keep(this: void): void;
}

/** Selects rows, as `Database.query` does. */
export type Select = (sql: string, parameters: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/**
 * Folds a batch of events, in order, into the rows of one read model. Reads those that are not known by one statement, and changes
 * nothing. Events at or before a row's own position are passed over.
 * @param known rows that need not be selected, and none of which any event of the batch has been applied to
 */
export async function foldBatch(
  select: Select,
  readModel: ReadModel,
  events: readonly StoredEvent[],
  known: KnownRows | null = null,
): Promise<BatchChanges> {
  const { projection, table, skipped } = readModel;
  const applied = skipped === undefined ? events : events.filter((event) => !skipped.has(eventName(event)));
  const touched = withKeys(projection, applied);
  if (touched.length === 0) return { readModel, rows: [], counters: new Map(), keep: () => undefined };
  const before = await rowsBefore(select, readModel, touched, known);
  const after = new Map(before);
  const rowAt = (key: string) => after.get(key) ?? null;
  for (const { key, recorded, mayBegin } of touched) {
    const row = rowAt(key);
    if (row === null ? !mayBegin : row.position >= recorded.position) continue;
    // Reason for the assertion: the projection's own row type, erased in a list of projections.
    const next = projection.project(row, recorded, rowAt) as ReadModelRow | null;
    if (next !== null) after.set(key, { ...next, position: recorded.position });
  }
  const rows = [...after]
    .filter(([key, row]) => before.get(key) !== row)
    .map(([key, row]) => ({ key, row, text: columnsText(readModel, row), isNew: !before.has(key) }));
  return {
    readModel,
    rows,
    counters: counterChanges(readModel, before, after),
    keep: () => {
      for (const { key, row, text } of rows) known?.keep(table, key, row, text);
    },
  };
}

/** The rows that the events change or look at, as they were: those that are not known, by one select. */
async function rowsBefore(
  select: Select,
  readModel: ReadModel,
  touched: readonly Touched[],
  known: KnownRows | null,
): Promise<Rows> {
  const { projection, table } = readModel;
  const looked = touched.flatMap(({ recorded }) => projection.looksAt?.(recorded) ?? []);
  const keys = new Set([...touched.map(({ key }) => key), ...looked]);
  const rows: Rows = new Map();
  if (known !== null) {
    const made = touched.filter(({ recorded, mayBegin }) => mayBegin && projection.isFirst?.(recorded) === true);
    for (const { key } of made) keys.delete(key);
    for (const key of keys) {
      const row = known.get(table, key);
      if (row === undefined) continue;
      keys.delete(key);
      if (row !== null) rows.set(key, row);
    }
  }
  if (keys.size === 0) return rows;
  const selected = await selectRows(select, readModel, [...keys]);
  for (const key of keys) {
    const row = selected.get(key) ?? null;
    known?.keep(table, key, row, row === null ? '' : columnsText(readModel, row));
    if (row !== null) rows.set(key, row);
  }
  return rows;
}

/** How an event is named among those that are passed over. */
function eventName({ stream, revision }: StoredEvent): string {
  return `${stream} ${revision}`;
}

type Kind = AnyProjection['kinds'][number];

/** Events that some projection has had decoded; most are looked at by several. */
const decoded = new WeakMap<StoredEvent, { readonly kind: Kind; readonly recorded: Recorded<DomainEvent> }>();

function decodedOf(kind: Kind, stored: StoredEvent): Recorded<DomainEvent> {
  const known = decoded.get(stored);
  if (known?.kind === kind) return known.recorded;
  const recorded: Recorded<DomainEvent> = decodeEvent(kind, stored);
  decoded.set(stored, { kind, recorded });
  return recorded;
}

function withKeys(projection: AnyProjection, events: readonly StoredEvent[]): Touched[] {
  return events.flatMap((stored) => {
    const kind = projection.kinds.find(({ category }) => stored.stream.startsWith(`${category}-`));
    if (kind === undefined) return [];
    const recorded = decodedOf(kind, stored);
    const key = projection.keyOf(recorded);
    const more = (projection.moreKeysOf?.(recorded) ?? []).map((each) => ({ key: each, recorded, mayBegin: false }));
    return [...(key === null ? [] : [{ key, recorded, mayBegin: true }]), ...more];
  });
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

/** Stores rows, whether they are there or not; no statement for none. */
export function upsertOf({ metadata, table }: ReadModel, rows: readonly Pick<ChangedRow, 'text'>[]): Statement[] {
  if (rows.length === 0) return [];
  const key = primaryOf(metadata).databaseName;
  const names = metadata.columns.map(({ databaseName }) => databaseName);
  const updates = names.filter((name) => name !== key).map((name) => `"${name}" = excluded."${name}"`);
  const text = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')})
     SELECT ${names.map((name) => `"${name}"`).join(', ')} FROM json_populate_recordset(NULL::"${table}", $1)
     ON CONFLICT ("${key}") DO UPDATE SET ${updates.join(', ')}`;
  return [{ text, values: [`[${rows.map((row) => row.text).join(',')}]`] }];
}

/** The column by which rows are found. @throws Error when there are several */
export function primaryOf(metadata: EntityMetadata): EntityMetadata['primaryColumns'][number] {
  const [key, ...others] = metadata.primaryColumns;
  if (key === undefined || others.length > 0) throw new Error(`${metadata.tableName} must have one primary column`);
  return key;
}

function counterChanges(
  { projection, table }: ReadModel,
  before: ReadonlyMap<string, ReadModelRow>,
  after: ReadonlyMap<string, ReadModelRow>,
): Map<string, number> {
  const changes = new Map<string, number>();
  if (projection.counters === undefined) return changes;
  const change = (name: string, by: number) => changes.set(name, (changes.get(name) ?? 0) + by);
  const add = (row: ReadModelRow | undefined, by: 1 | -1) => {
    if (row === undefined) return;
    for (const name of projection.counters?.(row) ?? []) change(name, by);
    for (const [name, amount] of Object.entries(projection.sums?.(row) ?? {})) change(name, by * amount);
  };
  for (const [key, row] of after) {
    if (before.get(key) === row) continue;
    add(before.get(key), -1);
    add(row, 1);
  }
  return new Map([...changes].filter(([, by]) => by !== 0).map(([name, by]) => [`${table}/${name}`, by]));
}

/** Adds to kept counters and sums; of several read models at once, since their names differ. */
export function bumpCounters(changes: readonly ReadonlyMap<string, number>[]): Statement[] {
  const entries = changes.flatMap((counters) => [...counters]);
  if (entries.length === 0) return [];
  const text = `INSERT INTO list_counters (name, projection, total)
     SELECT name, split_part(name, '/', 1), by FROM unnest($1::text[], $2::bigint[]) AS change (name, by)
     ON CONFLICT (name) DO UPDATE SET total = list_counters.total + excluded.total`;
  return [{ text, values: [entries.map(([name]) => name), entries.map(([, by]) => by)] }];
}
