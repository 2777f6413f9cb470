import { limits } from '@app/kernel';
import type { Page } from '@app/schema';

/** What a page's JSON holds besides its items, at most: the names of its members, two cursors, a total. */
const envelopeBytesMax = 1024;

/** How much of a page is full already. The first item always has a place; the page ends before the first one that has none. */
export class PageSpace {
  private items = 0;
  private bytes = envelopeBytesMax;

  /** Whether an item has a place, given its JSON. */
  hasRoomFor(json: string): boolean {
    this.bytes += Buffer.byteLength(json) + 1;
    this.items += 1;
    return this.items === 1 || this.bytes <= limits.pageBytesMax;
  }
}

/**
 * The page that a list answers: at most `limit` rows, fewer where their JSON would pass 1 MiB (docs/decisions/conventions.md,
 * "Shares and quotas"), at least one where there is one.
 * @param rows up to `limit + 1` rows in the list's order: the one too many tells that there is more
 * @param cursorAfter the cursor that continues after a row
 */
export function pageOf<Row, View>(
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

/** A row that PostgreSQL has written as JSON text, with the key that its list is sorted by. */
export interface TextRow {
  readonly text: string;
  readonly position: number;
}

/**
 * As `pageOf`, but as JSON text, of rows that are JSON text already: most of what a long list costs is to read rows into objects and
 * to write these again. No type holds the rows to the documented answer; the suites do, which check every answer.
 * @param total of a list that is counted
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

function cursorAfterPage<Row>(rows: readonly Row[], shown: number, cursorAfter: (row: Row) => string): string | null {
  const last = rows[shown - 1];
  return last !== undefined && rows.length > shown ? cursorAfter(last) : null;
}
