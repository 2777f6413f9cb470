import { codePointLength, isJsonPointer } from '@app/kernel';

/** What a user is asked about a call: words of the operator, and the members of its input that are shown between them. */
export type ConsentTemplate = readonly (string | { readonly pointer: string })[];

/** With values of 200 code points in quotation marks, a sentence of such a template fits into a summary. */
export const templateBounds = { lengthMax: 300, pointersMax: 8 } as const;

/** Only values stand in quotation marks, and nothing changes the order or the line in which words are read. */
const unfit = /["“”„‟]|\p{C}|\p{Zl}|\p{Zp}/u;
const places = /\{([^{}]*)\}/;

/**
 * Reads `Cancel order {/orderId}`: JSON pointers into the input in braces, which stand for nothing else.
 * @returns null for what is none, or is longer than the bounds
 */
export function parseConsentTemplate(text: string): ConsentTemplate | null {
  if (text.trim() === '' || unfit.test(text) || codePointLength(text) > templateBounds.lengthMax) return null;
  // Every other part is what stood in braces.
  const parts = text.split(places).map((part, index) => (index % 2 === 0 ? part : { pointer: part }));
  const pointers = parts.filter((part) => typeof part === 'object');
  if (pointers.length > templateBounds.pointersMax) return null;
  const isFit = parts.every((part) =>
    typeof part === 'string' ? !/[{}]/.test(part) : part.pointer !== '' && isJsonPointer(part.pointer),
  );
  return isFit ? parts.filter((part) => part !== '') : null;
}
