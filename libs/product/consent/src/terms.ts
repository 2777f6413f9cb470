import { capitalized, codePointLength, joined, quoted, words, type Words } from '@app/kernel';

/** What a term tells, in the order in which a page shows them (docs/decisions/approvals.md). */
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

/** One thing that is agreed to, whole, as a line of a page. */
export interface Term {
  readonly name: (typeof termNames)[number];
  readonly text: Words;
}

/** What a user is asked: plain sentences, and the same as a list, which is empty where nothing is agreed on but the input itself. */
export interface ConsentWords {
  readonly summary: Words;
  readonly terms: readonly Term[];
}

/** The longest summary, in code points. */
export const summaryLengthMax = 2_000;
/**
 * The sentences, and those of the others for which there is room, in their order: quotations of what is shown elsewhere. Null when the
 * sentences do not fit in whole.
 */
export function summaryOf(sentences: readonly Words[], others: readonly Words[] = []): Words | null {
  const told = joined(sentences, ' ');
  if (codePointLength(told) > summaryLengthMax) return null;
  return others.reduce((summary, other) => {
    const longer = words`${summary} ${other}`;
    return codePointLength(longer) > summaryLengthMax ? summary : longer;
  }, told);
}

/** What an agent is asked to do, as a sentence: the beginning of it where it is long. */
export function taskSentence(task: string): Words {
  return words`Its task: ${quoted(task)}.`;
}

/** The terms that there are, in their order. */
export function termsOf(texts: { readonly [name in Term['name']]?: Words | null }): readonly Term[] {
  return termNames.flatMap((name) => {
    const text = texts[name] ?? null;
    return text === null ? [] : [{ name, text: capitalized(text) }];
  });
}
