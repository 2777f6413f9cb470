/** Characters that join or vary their neighbours and are not drawn themselves; a text reads the same without them. */
const joining = /[\u200c\u200d\ufe00-\ufe0f]/g;
/** Space of any kind, line and paragraph breaks and the blank Braille cell included. */
const space = /[\s\u0085\u2800]+/gu;
/** Control, format (bidirectional, zero-width, tags), private, unassigned and default-ignorable code points, unpaired surrogates. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;
/** A base with up to four combining marks; or marks without a base, or too many of them, which would be drawn over their neighbours. */
const marked = /([\p{L}\p{N}\p{So}\p{Sm}\p{Sc}]\p{M}{0,4})|\p{M}+/gu;
/** A character that is drawn by itself. U+1D159, the null notehead, is a symbol without ink. */
const drawn = /[^\s\u0085\u2800\u{1d159}\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/u;
const replacement = '\ufffd';

/** Whether a reader sees anything of a text: it has a character that is neither space, nor invisible, nor a mark without a base. */
export function isVisible(text: string): boolean {
  return drawn.test(text);
}

/**
 * A foreign text on one line, in Unicode's form NFC: each run of space becomes one space; characters that are invisible, change the order
 * of others, or are drawn over their neighbours become `U+FFFD`. For a place of its own, such as a cell of a table or a line of a terminal;
 * within a sentence of ours use `quoted`.
 */
export function onOneLine(text: string): string {
  return text
    .replace(joining, '')
    .normalize('NFC')
    .replace(space, ' ')
    .replace(unseen, replacement)
    .replace(marked, (_, whole: string | undefined) => whole ?? replacement)
    .trim();
}

/** Longest part of a text that is read for each character of a line: characters that join others leave no trace in it. */
const readFactor = 8;

/**
 * The beginning of a foreign text as `onOneLine` shows it, cut with `…` if it is longer. Its cost does not grow with the text.
 * @param lengthMax in code points
 */
export function beginningOnOneLine(text: string, lengthMax: number): string {
  const read = text.slice(0, readFactor * lengthMax);
  return cut(onOneLine(read.length < text.length ? `${read}…` : read), lengthMax);
}

/**
 * Every character that is a quotation mark, or is drawn like one or like half of a double one: Unicode's property, and the confusables of
 * both marks (UTS 39), which are standalone accents, modifier letters, primes, dingbats and marks of other scripts.
 */
const quotationMarks = [
  '\\p{Quotation_Mark}',
  '`\\u00b4\\u02b9-\\u02bf\\u02c8\\u02ca\\u02cb\\u02dd\\u02ee\\u02f4-\\u02f6\\u0374\\u0384\\u1fbd-\\u1fc1\\u1fcd-\\u1fcf\\u1fdd-\\u1fdf\\u1fed-\\u1fef\\u1ffd\\u1ffe',
  '\\u055a\\u055b\\u055d\\u1425\\u1426\\u309b\\uff9e\\u05f2-\\u05f4\\u07f4\\u07f5\\u1cd3\\u16cc\\u144a\\ua78b\\ua78c\\u{16f51}\\u{16f52}',
  '\\u2032-\\u2037\\u2057\\u275b-\\u2760\\u3003\\uff40\\u{1f676}-\\u{1f678}',
].join('');
const quotationLike = new RegExp(`(?:[${quotationMarks}]\\p{M}*)+`, 'gu');

/**
 * A foreign text for use within our quotation marks: on one line, without any character that could pass for such a mark, alone or doubled;
 * cut with `…` if it is too long.
 * @param lengthMax in code points
 */
export function withinMarks(text: string, lengthMax: number): string {
  return cut(onOneLine(text).replace(quotationLike, "'").normalize('NFC'), lengthMax);
}

/** Cuts a text that is too long, and appends `…`. @param lengthMax in code points */
export function cut(text: string, lengthMax: number): string {
  const points = [...text];
  return points.length <= lengthMax ? points.join('') : `${points.slice(0, Math.max(0, lengthMax - 1)).join('')}…`;
}

/**
 * Characters that are changed or invisible within marks: invisible ones, space except one between two words, quotation marks except a
 * single `'`.
 */
const inexact = new RegExp(
  `${unseen.source}|[\\u200c\\u200d\\ufe00-\\ufe0f]|(?! )[\\s\\u0085\\u2800]|^ | $|(?<= ) |(?<=')'|(?!')[${quotationMarks}]`,
  'gu',
);
const beyondAscii = /[^\x20-\x7e]/gu;

/**
 * A foreign text within our quotation marks, such that two texts of different code points are displayed differently: characters that
 * `withinMarks` would change become JSON escapes, `\u200d`, or `\u{e0041}` beyond four digits. For texts that are compared or sent, byte by
 * byte.
 * @param escaped whether a backslash in it begins an escape already, as in JSON
 */
export function exactlyWithinMarks(text: string, escaped = false): string {
  const exact = (escaped ? text : text.replaceAll('\\', '\\\\')).replace(inexact, escapeOf);
  // The remaining changes depend on neighbours: marks over letters, and sequences that NFC composes.
  return withinMarks(exact, Infinity) === exact ? exact : exact.replace(beyondAscii, escapeOf);
}

function escapeOf(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
}
