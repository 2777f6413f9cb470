/** An event as in its row: the state on disk, whatever a running server holds in memory. */
export interface StoredRow {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** Lower-case UUID. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Runs one statement with positional parameters. */
type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

type Columns = Omit<StoredRow, 'revision' | 'position'> & { readonly revision: string; readonly position: string };

const columns =
  'global_position AS position, stream, revision, event_id AS id, type, is_json AS "isJson", data, metadata';
const pageEvents = 500;
/** A page ends with the event that exceeds this. */
const pageBytes = 4_000_000;

/** Whether the embedded event store has its tables in this database. */
export async function hasStoredRows(query: Query): Promise<boolean> {
  const [found] = await query<{ there: boolean }>(`SELECT to_regclass('event_store.events') IS NOT NULL AS there`, []);
  return found?.there === true;
}

/** Every event of the embedded event store in the order of `$all`, up to a position. */
export async function* storedRows(query: Query, upTo = Number.MAX_SAFE_INTEGER): AsyncGenerator<StoredRow> {
  for (let after = -1; ;) {
    const rows = await query<Columns>(
      `SELECT ${columns} FROM (
         SELECT *, sum(octet_length(data) + octet_length(metadata)) OVER (ORDER BY global_position) AS bytes
         FROM (SELECT * FROM event_store.events WHERE global_position > $1 AND global_position <= $2
               ORDER BY global_position LIMIT $3) AS page
       ) AS measured WHERE bytes - octet_length(data) - octet_length(metadata) <= $4 ORDER BY global_position`,
      [after, upTo, pageEvents, pageBytes],
    );
    yield* rows.map(storedRow);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last.position);
  }
}

/** The events of one stream, by revision, without its tombstone: only the revision of a tombstone is no safe integer. */
export async function* storedRowsOf(query: Query, stream: string): AsyncGenerator<StoredRow> {
  for (let from = 0; ;) {
    const rows = await query<Columns>(
      `SELECT ${columns} FROM event_store.events
       WHERE stream = $1 AND revision BETWEEN $2 AND $3 ORDER BY revision LIMIT $4`,
      [stream, from, Number.MAX_SAFE_INTEGER, pageEvents],
    );
    yield* rows.map(storedRow);
    const last = rows.at(-1);
    if (last === undefined) return;
    from = Number(last.revision) + 1;
  }
}

function storedRow(row: Columns): StoredRow {
  return { ...row, revision: Number(row.revision), position: Number(row.position) };
}

/** Position of the last event; 0 when there is none. */
export async function lastStoredPosition(query: Query): Promise<number> {
  const [row] = await query<{ last: string | null }>('SELECT max(global_position) AS last FROM event_store.events', []);
  return Number(row?.last ?? 0);
}
