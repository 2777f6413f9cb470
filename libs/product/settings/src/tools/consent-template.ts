import { codePointLength, isJsonPointer, operatorWords, type Words } from '@app/kernel';

/** The consent text for a call: words of the operator, and the members of its input that are shown between them. */
export type ConsentTemplate = readonly (Words | { readonly pointer: string })[];

/** With values of 200 code points in quotation marks, a sentence of such a template fits into a summary. */
export const templateBounds = { lengthMax: 300, pointersMax: 8 } as const;

const places = /\{([^{}]*)\}/;

/**
 * Parses `Cancel order {/orderId}`: JSON pointers into the input in braces, which have no other meaning.
 * @returns null if the text is not a template, or exceeds the bounds
 */
export function parseConsentTemplate(text: string): ConsentTemplate | null {
  if (text.trim() === '' || codePointLength(text) > templateBounds.lengthMax) return null;
  // Every other part is the content of a pair of braces.
  const parts = text
    .split(places)
    .map((part, index) => (index % 2 === 0 ? operatorWords(part) : { pointer: part }))
    .filter((part) => part !== null);
  if (parts.length !== text.split(places).length) return null;
  const pointers = parts.filter((part) => typeof part === 'object');
  if (pointers.length > templateBounds.pointersMax) return null;
  const isFit = parts.every((part) =>
    typeof part === 'string' ? !/[{}]/.test(part) : part.pointer !== '' && isJsonPointer(part.pointer),
  );
  return isFit ? parts.filter((part) => part !== '') : null;
}
