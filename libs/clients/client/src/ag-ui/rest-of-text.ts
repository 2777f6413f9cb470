/**
 * Returns the remainder of a text after the part that a reader has seen; null if that part is not its beginning,
 * because live text was lost: then the whole recorded text has to replace it.
 */
export function restOfText(seen: string, whole: string): string | null {
  return whole.startsWith(seen) ? whole.slice(seen.length) : null;
}
