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
