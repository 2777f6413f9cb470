/** Longest title, in code points (docs/decisions/artifacts-and-activity.md). */
export const titleLengthMax = 160;
const ellipsis = '…';

/** A text as a title: on one line, cut with an ellipsis where it is longer than a title may be; the other text when nothing is left of it. */
export function titleOf(text: string, otherwise: string): string {
  const words = text.replace(/\s+/gu, ' ').trim();
  return words === '' ? otherwise : cut(words);
}

/** The title of what something came to: `Denied: Withdraw …`. */
export function outcomeTitle(outcome: string, title: string): string {
  return cut(`${outcome}: ${title}`);
}

function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= titleLengthMax) return text;
  return `${characters
    .slice(0, titleLengthMax - 1)
    .join('')
    .trimEnd()}${ellipsis}`;
}
