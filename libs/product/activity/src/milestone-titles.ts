import { isErased, openOr, quoted, shortened, words, type Erased, type Personal, type Words } from '@app/kernel';
import type { RunRequest } from '@app/conversations';

/** Longest title, in code points (docs/decisions/artifacts-and-activity.md). */
export const titleLengthMax = 160;

/**
 * The parts of a milestone's title. The words are as the event has them, so that the read model holds them sealed; only a view makes a
 * title of them.
 */
export interface TitleSource {
  readonly words: Personal<string | null | RunRequest>;
  /** A sentence of ours in their place, which contains words of persons; null for the other forms. */
  readonly sentence: Personal<Words | null>;
  /** `text`: a person's text. `request`: the text of a run's request. `sentence`: ours. `foreign_sentence`: ours, with texts unquoted. */
  readonly form: 'text' | 'request' | 'sentence' | 'foreign_sentence';
  /** The title where nothing of the words is visible. */
  readonly otherwise: Words;
  /** The result; null as long as there is none. */
  readonly outcome: Words | null;
}

/** A title prefixed with an outcome: `Denied: Withdraw …`. @param before null where the milestone's beginning is missing */
export function outcomeTitle(outcome: Words, before: TitleSource | null): TitleSource {
  return { ...(before ?? untitled), outcome };
}

/** The title of a milestone whose beginning is missing. */
export const untitled: TitleSource = {
  words: null,
  sentence: null,
  form: 'sentence',
  otherwise: words``,
  outcome: null,
};

/** Returns the title, of words that are open; `{"erased": true}` where they are not. */
export function titleText({ outcome, ...source }: TitleSource): Words | Erased {
  const base = baseTitle(source);
  return outcome === null || isErased(base) ? base : shortened(words`${outcome}: ${base}`, titleLengthMax);
}

function baseTitle(source: Omit<TitleSource, 'outcome'>): Words | Erased {
  const { form, otherwise } = source;
  const [text, sentence] = [openOr(source.words, undefined), openOr(source.sentence, undefined)];
  if (text === undefined || sentence === undefined) return { erased: true };
  if (form === 'text' || form === 'request')
    return quotedTitle((form === 'request' ? requestIn(text) : textIn(text)) ?? '', otherwise);
  if (sentence === null || sentence === '') return otherwise;
  return shortened(form === 'sentence' ? sentence : quoted(sentence, Infinity), titleLengthMax);
}

function textIn(opened: string | null | RunRequest): string | null {
  return typeof opened === 'string' ? opened : null;
}

function requestIn(opened: string | null | RunRequest): string | null {
  // Reason for the assertion: the column has the request, as JSON text where it was never sealed.
  const request = (typeof opened === 'string' ? JSON.parse(opened) : opened) as RunRequest | null;
  return request?.input.text ?? null;
}

/** A text that a person or a model wrote, quoted as a title; `otherwise` where nothing of it is visible. */
function quotedTitle(text: string, otherwise: Words): Words {
  const title = quoted(text, titleLengthMax - 2);
  return title === words`“”` ? otherwise : title;
}
