import { capitalized, codePointLength, joined, quoted, words, type Words } from '@app/kernel';

/** The names of terms, in the order in which a page shows them (docs/decisions/approvals.md). */
export const termNames = [
  'what',
  'at most',
  'how often',
  'until when',
  'when it acts',
  'to whom',
  'as whom',
  'from what',
] as const;

/** One item of an agreement, in full, as a line of a page. */
export interface Term {
  readonly name: (typeof termNames)[number];
  readonly text: Words;
}

/** Consent text: plain sentences, and the same as a list, which is empty where only the input itself is agreed to. */
export interface ConsentWords {
  readonly summary: Words;
  readonly terms: readonly Term[];
}

/** The longest summary, in code points. */
export const summaryLengthMax = 2_000;
/**
 * The sentences, followed by those of the others that still fit, in their order: quotations of texts that are shown
 * elsewhere. Null when the sentences do not fit in full.
 */
export function summaryOf(sentences: readonly Words[], others: readonly Words[] = []): Words | null {
  const told = joined(sentences, ' ');
  if (codePointLength(told) > summaryLengthMax) return null;
  return others.reduce((summary, other) => {
    const longer = words`${summary} ${other}`;
    return codePointLength(longer) > summaryLengthMax ? summary : longer;
  }, told);
}

/** The task of an agent as a sentence; only its beginning if it is long. */
export function taskSentence(task: string): Words {
  return words`Its task: ${quoted(task)}.`;
}

/** The terms that have a text, in their order. */
export function termsOf(texts: { readonly [name in Term['name']]?: Words | null }): readonly Term[] {
  return termNames.flatMap((name) => {
    const text = texts[name] ?? null;
    return text === null ? [] : [{ name, text: capitalized(text) }];
  });
}
