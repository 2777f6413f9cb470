/**
 * The address of a store for a sentence or a row: without user, password and query, whatever characters these contain. Drivers also accept
 * a password with `@` or `/`, and one in the query.
 */
export function placeInWords(url: string): string {
  return url.replace(/\/\/.*@/s, '//').replace(/[?#].*$/s, '');
}
