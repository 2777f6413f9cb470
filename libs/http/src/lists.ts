/** A page of a list, as the API answers it. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Null at the end as of this read. */
  readonly nextCursor: string | null;
}

/** Makes a page of rows that were asked for with a limit of one more than the page holds. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
  cursorAfter: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(item), nextCursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null };
}
