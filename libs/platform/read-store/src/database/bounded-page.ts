import { limits } from '@app/kernel';

/**
 * Returns a statement for a list whose rows may be long. It selects the rows of a page that begin within the first 1 MiB, and at least two
 * if there are two, so that the code that cuts the page sees that more follow. The others never leave PostgreSQL.
 * @param page a statement with ORDER BY and LIMIT that selects `position`, its sort key, and the measured columns
 * @param measured the text whose bytes count, as an expression over the columns that the page selects
 */
export function boundedPage(page: string, measured = 'text', order: 'ASC' | 'DESC' = 'DESC'): string {
  return `SELECT * FROM (
      SELECT listed.*, row_number() OVER before_it AS row_in_page,
             sum(octet_length(${measured})) OVER before_it - octet_length(${measured}) AS begins_at
      FROM (${page}) AS listed WINDOW before_it AS (ORDER BY position ${order} ROWS UNBOUNDED PRECEDING)) AS measured
    WHERE row_in_page <= 2 OR begins_at <= ${limits.pageBytesMax} ORDER BY row_in_page`;
}
