/**
 * The address of a store for a sentence or a row: without user, password and query, whatever characters these contain. Drivers also accept
 * a password with `@` or `/`, and one in the query. Where an `@` comes after a `?` or `#`, either of them may belong to a password, so that
 * nothing but the scheme is shown.
 */
export function placeInWords(url: string): string {
  if (/[?#].*@/s.test(url)) return url.replace(/\/\/.*$/s, '//…');
  return url.replace(/\/\/.*@/s, '//').replace(/[?#].*$/s, '');
}

/** Whether the address of a store may contain a password. */
export function mayHoldPassword(url: string): boolean {
  return /^[a-z+]+:\/\/.*:.*@/is.test(url) || /[?&][a-z]*password=/i.test(url);
}
