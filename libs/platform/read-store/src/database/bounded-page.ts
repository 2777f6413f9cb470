import { limits } from '@app/kernel';

/** Rows are sealed here, which makes them longer by half at most where they are long enough to fill a page. */
const sealedBytesMax = 2 * limits.pageBytesMax;

/**
 * Returns a statement for a list whose rows may be long. It selects the rows of a page that begin within the first 2 MiB, and at least two
 * if there are two. The others never leave PostgreSQL. `goesOn` of a row says whether another row of the page follows it: words that
 * are erased are short once they are shown, so that all selected rows may fit a page that is not the last.
 * @param page a statement with ORDER BY and LIMIT that selects `position`, its sort key, and the measured columns
 * @param measured the text whose bytes count, as an expression over the columns that the page selects
 */
export function boundedPage(page: string, measured = 'text', order: 'ASC' | 'DESC' = 'DESC'): string {
  return `SELECT * FROM (
      SELECT listed.*, row_number() OVER before_it AS row_in_page, row_number() OVER before_it < count(*) OVER () AS "goesOn",
             sum(octet_length(${measured})) OVER before_it - octet_length(${measured}) AS begins_at
      FROM (${page}) AS listed WINDOW before_it AS (ORDER BY position ${order} ROWS UNBOUNDED PRECEDING)) AS measured
    WHERE row_in_page <= 2 OR begins_at <= ${sealedBytesMax} ORDER BY row_in_page`;
}
