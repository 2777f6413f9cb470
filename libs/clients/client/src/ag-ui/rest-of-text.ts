/**
 * What is still to be shown of a text of which a reader has seen something already; null when what was seen is not its beginning,
 * so that only the whole text in its place puts it right. Live words can miss some: the recorded text is what counts.
 */
export function restOfText(seen: string, whole: string): string | null {
  return whole.startsWith(seen) ? whole.slice(seen.length) : null;
}
