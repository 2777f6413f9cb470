import { codePointLength } from '@app/kernel';

/** What a term tells, in the order in which a page shows them (docs/decisions/approvals.md). */
export const termNames = ['what', 'at most', 'how often', 'until when', 'when it acts', 'to whom'] as const;

/** One thing that is agreed to, whole, as a line of a page. */
export interface Term {
  readonly name: (typeof termNames)[number];
  readonly text: string;
}

/** What a user is asked: plain sentences, and the same as a list, which is empty where nothing is agreed on but the input itself. */
export interface ConsentWords {
  readonly summary: string;
  readonly terms: readonly Term[];
}

/** The longest summary, in code points. */
export const summaryLengthMax = 2_000;
/** Most code points of a quoted text, which is not a term and is shortened. */
const quotedLengthMax = 200;

/** A text that somebody wrote, with what leads to it: `Its task`. */
export interface Quoted {
  readonly lead: string;
  readonly text: string;
}

/** The sentences and what there is room for of the quoted text; null when the sentences do not fit in whole. */
export function summaryOf(sentences: readonly string[], quoted: Quoted | null = null): string | null {
  const told = sentences.join(' ');
  const left = summaryLengthMax - codePointLength(told);
  if (left < 0) return null;
  const quote = quoted === null ? null : `${quoted.lead}: ${quotation(quoted.text)}.`;
  return quote === null || codePointLength(quote) + 1 > left ? told : `${told} ${quote}`;
}

/** What is not seen, or turns the order of what is: all of it but the two joiners, which scripts and emoji are written with. */
const unseen = /(?![\u200c\u200d])\p{C}/gu;

/**
 * The text on one line in quotation marks, which it cannot end itself; its beginning where it is longer.
 * @param lengthMax in code points
 */
export function quotation(text: string, lengthMax: number = quotedLengthMax): string {
  const points = [
    ...text
      .replace(/\s+/gu, ' ')
      .replace(/["“”„‟〝〞＂]/gu, "'")
      .replace(unseen, '\ufffd')
      .trim(),
  ];
  const shown = points.length <= lengthMax ? points : [...points.slice(0, lengthMax - 1), '…'];
  return `“${shown.join('')}”`;
}

/** The terms that there are, in their order. */
export function termsOf(texts: { readonly [name in Term['name']]?: string | null }): readonly Term[] {
  return termNames.flatMap((name) => {
    const text = texts[name] ?? null;
    return text === null ? [] : [{ name, text: capitalize(text) }];
  });
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
