import { setImmediate as nextTurn } from 'node:timers/promises';
import { TOMBSTONE_REVISION, type FramedEvent, type StoredEvent } from '../event';
import { FRAMED_AT_ONCE_MAX, PAGE_BYTES_MAX, PAGE_EVENTS_MAX } from '../limits';
import { frameEvent } from '@app/event-store-wire';
import { booleanArray, byteaArray, int8Array, textArray, uuidArray } from './binary-array';
import type { Queryable } from './queryable';

const COLUMNS = 'global_position, stream, revision, event_id, type, is_json, data, metadata, created_ms';

type EventRow = [string, string, string, string, string, boolean, Buffer, Buffer, string];
type PageRow = [...EventRow, string];

/** Events of one query. `cut`: the byte limit ended the page before its event limit did. */
export interface EventPage {
  readonly events: FramedEvent[];
  readonly cut: boolean;
}

/**
 * Uses one statement, one transaction, one flush: all of the events are durable when it returns, or none are stored. Stores nothing, and
 * returns false, when one of the streams that were assumed new has an event.
 */
export async function insertEvents(
  db: Queryable,
  events: readonly StoredEvent[],
  takenForNew: readonly string[],
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'insert_events',
    text: `INSERT INTO event_store.events (${COLUMNS})
           SELECT * FROM unnest($1::int8[], $2::text[], $3::int8[], $4::uuid[], $5::text[], $6::bool[], $7::bytea[], $8::bytea[], $9::int8[])
           WHERE NOT EXISTS (
             SELECT FROM unnest($10::text[]) AS name CROSS JOIN LATERAL
               (SELECT FROM event_store.events WHERE stream = name ORDER BY revision LIMIT 1) AS first)`,
    values: [
      int8Array(events.map((event) => event.position)),
      textArray(events.map((event) => event.stream)),
      int8Array(events.map((event) => event.revision)),
      uuidArray(events.map((event) => event.id)),
      textArray(events.map((event) => event.type)),
      booleanArray(events.map((event) => event.isJson)),
      byteaArray(events.map((event) => event.data)),
      byteaArray(events.map((event) => event.metadata)),
      int8Array(events.map((event) => event.createdMs)),
      textArray(takenForNew),
    ],
  });
  return rowCount === events.length;
}

export async function readLastPosition(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ last: string | null }>(
    'SELECT max(global_position) AS last FROM event_store.events',
  );
  return Number(rows[0]?.last ?? 0);
}

/** Selects events of a span: those whose stream or type is one of these names, or begins with one of them. */
export interface Wanted {
  readonly on: 'stream' | 'type';
  readonly by: 'name' | 'prefix';
  readonly values: readonly string[];
}

/** A span of `$all`: positions `from` to `to`, both inclusive; only the wanted ones, if `wanted` is given. */
export interface AllSpan {
  readonly from: number;
  readonly to: number;
  readonly descending: boolean;
  readonly wanted: Wanted | undefined;
}

export function readAllPage(db: Queryable, span: AllSpan, eventsMax: number): Promise<EventPage> {
  const order = span.descending ? 'DESC' : 'ASC';
  const { wanted } = span;
  const filter = wanted ? `AND ${wanted.on} ${wanted.by === 'name' ? '=' : '^@'} ANY($4::text[])` : '';
  return readPage(db, {
    name: `all_${order}_${wanted ? `${wanted.on}_${wanted.by}` : 'any'}`,
    rows: `SELECT ${COLUMNS} FROM event_store.events WHERE global_position BETWEEN $1 AND $2 ${filter}
           ORDER BY global_position ${order} LIMIT $3`,
    order: `global_position ${order}`,
    values: [span.from, span.to, Math.min(eventsMax, PAGE_EVENTS_MAX), ...(wanted ? [wanted.values] : [])],
  });
}

/** Returns the stream names, or the types, of all events of a span (both ends inclusive). */
export async function readNames(
  db: Queryable,
  span: { readonly from: number; readonly to: number },
  on: 'stream' | 'type',
): Promise<string[]> {
  const { rows } = await db.query<[string]>({
    name: `names_${on}`,
    text: `SELECT DISTINCT ${on} FROM event_store.events WHERE global_position BETWEEN $1 AND $2`,
    values: [span.from, span.to],
    rowMode: 'array',
  });
  return rows.map(([name]) => name);
}

/** A span of one stream: revisions `from` to `to`, both inclusive, not older than `createdMsMin`. */
export interface StreamSpan {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  readonly createdMsMin: number;
  readonly descending: boolean;
}

export function readStreamPage(db: Queryable, span: StreamSpan, eventsMax: number): Promise<EventPage> {
  const order = span.descending ? 'DESC' : 'ASC';
  return readPage(db, {
    name: `stream_${order}`,
    rows: `SELECT ${COLUMNS} FROM event_store.events
           WHERE stream = $1 AND revision BETWEEN $2 AND $3 AND created_ms >= $4 ORDER BY revision ${order} LIMIT $5`,
    order: `revision ${order}`,
    values: [span.stream, span.from, span.to, span.createdMsMin, Math.min(eventsMax, PAGE_EVENTS_MAX)],
  });
}

/**
 * Returns the first revision of a span that is not older than `createdMsMin`; one past its end when all are older. Bisects the span,
 * because a stream is ordered by time: the work does not depend on how many have expired. (A clock that was set back only blurs the
 * border.)
 */
export async function firstOfAge(db: Queryable, span: Omit<StreamSpan, 'descending'>): Promise<number> {
  const { rows } = await db.query<[string]>({
    name: 'first_of_age',
    text: `WITH RECURSIVE search (low, high) AS (
             SELECT $2::int8, $3::int8 + 1
             UNION ALL
             SELECT CASE WHEN young THEN low ELSE middle + 1 END, CASE WHEN young THEN middle ELSE high END
             FROM search CROSS JOIN LATERAL (
               SELECT revision AS middle, created_ms >= $4 AS young FROM event_store.events
               WHERE stream = $1 AND revision = (low + high) / 2
             ) AS probe
             WHERE low < high
           ) SELECT max(low) FROM search`,
    values: [span.stream, span.from, span.to, span.createdMsMin],
    rowMode: 'array',
  });
  return Number(rows[0]?.[0] ?? span.from);
}

interface PageQuery {
  name: string;
  /** Selects the columns of an event, in order, with a limit. */
  rows: string;
  order: string;
  values: unknown[];
}

/** Ends a page when its bytes exceed the limit (never before its first event), so that huge events do not accumulate. */
async function readPage(db: Queryable, query: PageQuery): Promise<EventPage> {
  const { rows } = await db.query<PageRow>({
    name: query.name,
    text: `SELECT ${COLUMNS}, chosen FROM (
             SELECT *, count(*) OVER () AS chosen,
               sum(octet_length(data) + octet_length(metadata)) OVER (ORDER BY ${query.order} ROWS UNBOUNDED PRECEDING)
                 - octet_length(data) - octet_length(metadata) AS bytes_before
             FROM (${query.rows}) AS page
           ) AS measured WHERE bytes_before <= ${PAGE_BYTES_MAX} ORDER BY ${query.order}`,
    values: query.values,
    rowMode: 'array',
  });
  return { events: await eventsOfRows(rows), cut: rows.length < Number(rows[0]?.[9] ?? 0) };
}

/** Converts a few at a time, because a page of hundreds would delay lookups and appends. */
async function eventsOfRows(rows: readonly PageRow[]): Promise<FramedEvent[]> {
  const events: FramedEvent[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % FRAMED_AT_ONCE_MAX === 0) await nextTurn();
    events.push(eventOfRow(row));
  }
  return events;
}

function eventOfRow(row: EventRow | PageRow): FramedEvent {
  const revision = Number(row[2]);
  return frameEvent({
    position: Number(row[0]),
    stream: row[1],
    // The one revision beyond the safe integers is the tombstone's.
    revision: revision >= Number.MAX_SAFE_INTEGER ? TOMBSTONE_REVISION : revision,
    id: row[3],
    type: row[4],
    isJson: row[5],
    data: row[6],
    metadata: row[7],
    createdMs: Number(row[8]),
  });
}
