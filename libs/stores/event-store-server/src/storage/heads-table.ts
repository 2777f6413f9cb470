import { TOMBSTONE_REVISION } from '../event';
import type { Head } from '../streams/head';
import { parseStreamMetadata } from '../streams/stream-metadata';
import { int8Array, textArray } from './binary-array';
import type { Queryable } from './queryable';

/** Returns the heads of the given base streams, with one lookup each by the index on (stream, revision). */
export async function loadHeads(db: Queryable, streams: readonly string[]): Promise<Map<string, Head>> {
  const { rows } = await db.query<[string, string | null, string | null, string | null, Buffer | null]>({
    name: 'load_heads',
    // A tombstone's revision is above every other one: the last revision below it needs a second lookup.
    text: `SELECT name, head.revision, living.revision, meta.revision, meta.data
           FROM unnest($1::text[]) AS name
           LEFT JOIN LATERAL (SELECT revision FROM event_store.events WHERE stream = name
             ORDER BY revision DESC LIMIT 1) AS head ON true
           LEFT JOIN LATERAL (SELECT revision FROM event_store.events WHERE stream = name
             AND revision < 9223372036854775807 ORDER BY revision DESC LIMIT 1) AS living ON true
           LEFT JOIN LATERAL (SELECT revision, data FROM event_store.events WHERE stream = '$$' || name
             ORDER BY revision DESC LIMIT 1) AS meta ON true`,
    values: [textArray(streams)],
    rowMode: 'array',
  });
  return new Map(
    rows.map(([stream, last, lastLiving, metaLast, metadata]) => [
      stream,
      {
        last: lastLiving === null ? -1 : Number(lastLiving),
        tombstoned: Number(last) === TOMBSTONE_REVISION,
        metaLast: metaLast === null ? -1 : Number(metaLast),
        metadata: metadata ? parseStreamMetadata(metadata) : undefined,
      },
    ]),
  );
}

/** Stream, revision and position of an event id, which idempotency compares. */
export interface IdPlace {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

export interface RevisionSpan {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the ids at the given revisions (inclusive). */
export async function loadIdsAt(db: Queryable, spans: readonly RevisionSpan[]): Promise<IdPlace[]> {
  const { rows } = await db.query<[string, string, string, string]>({
    name: 'load_ids_at',
    text: `SELECT e.event_id, e.stream, e.revision, e.global_position
           FROM unnest($1::text[], $2::int8[], $3::int8[]) AS span (name, first, final)
           JOIN event_store.events AS e ON e.stream = span.name AND e.revision BETWEEN span.first AND span.final`,
    values: [
      textArray(spans.map((span) => span.stream)),
      int8Array(spans.map((span) => span.from)),
      int8Array(spans.map((span) => span.to)),
    ],
    rowMode: 'array',
  });
  return rows.map(placeOfRow);
}

/** Returns the ids of the newest events, oldest first, to fill the cache of known ids. */
export async function loadNewestIds(db: Queryable, lastPosition: number, count: number): Promise<IdPlace[]> {
  const { rows } = await db.query<[string, string, string, string]>({
    text: `SELECT event_id, stream, revision, global_position FROM event_store.events
           WHERE global_position > $1 ORDER BY global_position`,
    values: [lastPosition - count],
    rowMode: 'array',
  });
  return rows.map(placeOfRow);
}

function placeOfRow([id, stream, revision, position]: [string, string, string, string]): IdPlace {
  return { id, stream, revision: Number(revision), position: Number(position) };
}
