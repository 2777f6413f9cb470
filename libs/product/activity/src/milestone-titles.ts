import { quoted, shortened, words, type Words } from '@app/kernel';

/** Longest title, in code points (docs/decisions/artifacts-and-activity.md). */
export const titleLengthMax = 160;

/** A text that a person or a model wrote, quoted as a title; `otherwise` where nothing of it is visible. */
export function titleOf(text: string, otherwise: Words): Words {
  const title = quoted(text, titleLengthMax - 2);
  return title === words`“”` ? otherwise : title;
}

/** A sentence of ours as a title. */
export function sentenceTitle(sentence: Words): Words {
  return shortened(sentence, titleLengthMax);
}

/** A title prefixed with an outcome: `Denied: Withdraw …`. */
export function outcomeTitle(outcome: Words, title: Words): Words {
  return shortened(words`${outcome}: ${title}`, titleLengthMax);
}
