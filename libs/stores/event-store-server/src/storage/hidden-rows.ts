import { TOMBSTONE_REVISION_EXACT, TOMBSTONE_TYPE } from '../event';
import { isVisible, visibilityOf } from '../streams/visibility';
import type { Head } from '../streams/head';
import { parseStreamMetadata } from '../streams/stream-metadata';

/** Events of one stream that are in the table, but are not shown to readers of the stream. */
interface HiddenRows {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly why: 'tombstoned' | 'deleted' | 'truncated';
}

/** Runs one statement with positional parameters. */
type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

interface Kept {
  readonly last: string | null;
  readonly tombstoned: boolean;
  readonly metadata: Buffer | null;
}

const pageStreams = 500;
const tombstone = TOMBSTONE_REVISION_EXACT.toString();

/**
 * Finds the events hidden by metadata and tombstones in streams that are not the server's own, by the rules of the server itself. Only
 * streams with either are examined, because all others are shown completely.
 */
export async function* hiddenRows(query: Query, nowMs: number): AsyncGenerator<HiddenRows> {
  for await (const stream of withMetadata(query)) {
    const hidden = await hiddenOf(query, stream, nowMs);
    if (hidden !== null) yield hidden;
  }
}

/** Names of the streams that have metadata, or are tombstoned, in order. */
async function* withMetadata(query: Query): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const rows = await query<{ stream: string }>(
      `SELECT stream FROM (
         SELECT DISTINCT substr(stream, 3) COLLATE "C" AS stream FROM event_store.events WHERE stream >= '$$' AND stream < '$%'
         UNION SELECT stream FROM event_store.events WHERE type = '${TOMBSTONE_TYPE}'
       ) AS found WHERE stream > $1 AND stream NOT LIKE '$%' ORDER BY stream LIMIT $2`,
      [after, pageStreams],
    );
    for (const { stream } of rows) yield stream;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.stream;
  }
}

async function hiddenOf(query: Query, stream: string, nowMs: number): Promise<HiddenRows | null> {
  const [kept] = await query<Kept>(
    `SELECT (SELECT max(revision) FROM event_store.events WHERE stream = $1 AND revision < ${tombstone}) AS last,
       EXISTS (SELECT 1 FROM event_store.events WHERE stream = $1 AND revision = ${tombstone}) AS tombstoned,
       (SELECT data FROM event_store.events WHERE stream = '$$' || $1 ORDER BY revision DESC LIMIT 1) AS metadata`,
    [stream],
  );
  if (kept === undefined || kept.last === null) return null;
  const head: Head = {
    last: Number(kept.last),
    tombstoned: kept.tombstoned,
    metaLast: kept.metadata === null ? -1 : 0,
    metadata: kept.metadata === null ? undefined : parseStreamMetadata(kept.metadata),
  };
  const visibility = visibilityOf(stream, head, nowMs);
  const [from, createdMsMin] = isVisible(visibility) ? [visibility.first, visibility.createdMsMin] : [head.last + 1, 0];
  const [span] = await query<{ first: string | null; last: string | null }>(
    `SELECT min(revision) AS first, max(revision) AS last FROM event_store.events
     WHERE stream = $1 AND revision < ${tombstone} AND (revision < $2 OR created_ms < $3)`,
    [stream, from, createdMsMin],
  );
  if (span === undefined || span.first === null) return null;
  const why = head.tombstoned ? 'tombstoned' : isVisible(visibility) ? 'truncated' : 'deleted';
  return { stream, first: Number(span.first), last: Number(span.last), why };
}
