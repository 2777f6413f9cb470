/** A page of a list; `nextCursor` is null at the end as of this read. */
export type Page<View> = {
  readonly data: readonly View[];
  readonly nextCursor: string | null;
};

/**
 * The page that a list answers.
 * @param rows up to `limit + 1` rows in the list's order: the one too many tells that there is more
 * @param cursorAfter the cursor that continues after a row
 */
export function pageOf<Row, View>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => View,
  cursorAfter: (row: Row) => string,
): Page<View> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(show), nextCursor: last !== undefined && rows.length > limit ? cursorAfter(last) : null };
}

/** A row that PostgreSQL has written as JSON text, with the key that its list is sorted by. */
export interface TextRow {
  readonly text: string;
  readonly position: number;
}

/**
 * As `pageOf` with a total, but as JSON text, of rows that are JSON text already: most of what a long list costs is to read rows into
 * objects and to write these again. No type holds the rows to the documented answer; the suites do, which check every answer.
 */
export function pageTextOf(
  rows: readonly TextRow[],
  limit: number,
  total: number,
  cursorAfter: (row: TextRow) => string,
): string {
  const { data, nextCursor } = pageOf(rows, limit, ({ text }) => text, cursorAfter);
  return `{"data":[${data.join()}],"nextCursor":${JSON.stringify(nextCursor)},"total":${total}}`;
}

/** What answers such a text. */
export const jsonText = ['content-type', 'application/json; charset=utf-8'] as const;
