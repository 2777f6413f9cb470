import { limits } from '@app/kernel';
import type { Page } from '@app/schema';

/** Maximum bytes of a page's JSON in addition to its items: the names of its members, two cursors, a total. */
const envelopeBytesMax = 1024;

/** The space left on a page. The first item always fits; the page ends before the first one that does not. */
export class PageSpace {
  private items = 0;
  private bytes = envelopeBytesMax;

  /** Whether an item fits, given its JSON. */
  hasRoomFor(json: string): boolean {
    this.bytes += Buffer.byteLength(json) + 1;
    this.items += 1;
    return this.items === 1 || this.bytes <= limits.pageBytesMax;
  }
}

/**
 * Returns a page of a list: at most `limit` rows, fewer if their JSON would exceed 1 MiB (docs/decisions/conventions.md, "Shares and
 * quotas"), and at least one if there is one.
 * @param rows up to `limit + 1` rows in the list's order: the extra one shows that there are more
 * @param cursorAfter returns the cursor that continues after a row
 */
export function pageOf<Row extends object, View>(
  rows: readonly Row[],
  limit: number,
  show: (row: Row) => View,
  cursorAfter: (row: Row) => string,
): Page<View> {
  const space = new PageSpace();
  const data: View[] = [];
  for (const row of rows.slice(0, limit)) {
    const view = show(row);
    if (!space.hasRoomFor(JSON.stringify(view))) break;
    data.push(view);
  }
  return { data, nextCursor: cursorAfterPage(rows, data.length, cursorAfter) };
}

/** A row that PostgreSQL has formatted as JSON text, with its sort key. */
export interface TextRow {
  readonly text: string;
  readonly position: number;
}

/**
 * As `pageOf`, but returns JSON text, from rows that are JSON text already: most of the cost of a long list is parsing rows into objects
 * and formatting them again. No type checks the rows against the documented answer; the suites do, which check every answer.
 * @param total for lists that are counted
 */
export function pageTextOf(
  rows: readonly TextRow[],
  limit: number,
  cursorAfter: (row: TextRow) => string,
  total?: number,
): string {
  const space = new PageSpace();
  const full = rows.slice(0, limit).findIndex(({ text }) => !space.hasRoomFor(text));
  const shown = rows.slice(0, full === -1 ? limit : full);
  const nextCursor = JSON.stringify(cursorAfterPage(rows, shown.length, cursorAfter));
  const counted = total === undefined ? '' : `,"total":${total}`;
  return `{"data":[${shown.map(({ text }) => text).join()}],"nextCursor":${nextCursor}${counted}}`;
}

/** `goesOn` of the last row says that PostgreSQL has more rows for this page (`boundedPage`). */
function cursorAfterPage<Row extends object>(
  rows: readonly Row[],
  shown: number,
  cursorAfter: (row: Row) => string,
): string | null {
  const last = rows[shown - 1];
  if (last === undefined) return null;
  return rows.length > shown || ('goesOn' in last && last.goesOn === true) ? cursorAfter(last) : null;
}
