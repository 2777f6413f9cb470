/**
 * The words of a text, in order, as searches compare them: runs of Unicode letters and digits, NFKC, case-folded (docs/decisions/automations.md,
 * "Search").
 */
export function searchWords(text: string): readonly string[] {
  return foldCase(text).match(/[\p{L}\p{Nd}]+/gu) ?? [];
}

/** The language has no case folding; going through capitals unites letters that only lower case distinguishes (ß and ss, ς and σ). */
function foldCase(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}
