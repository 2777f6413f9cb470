import { codePointLength, isJsonPointer, operatorWords, type Words } from '@app/kernel';

/** What a user is asked about a call: words of the operator, and the members of its input that are shown between them. */
export type ConsentTemplate = readonly (Words | { readonly pointer: string })[];

/** With values of 200 code points in quotation marks, a sentence of such a template fits into a summary. */
export const templateBounds = { lengthMax: 300, pointersMax: 8 } as const;

const places = /\{([^{}]*)\}/;

/**
 * Reads `Cancel order {/orderId}`: JSON pointers into the input in braces, which stand for nothing else.
 * @returns null for what is none, or is longer than the bounds
 */
export function parseConsentTemplate(text: string): ConsentTemplate | null {
  if (text.trim() === '' || codePointLength(text) > templateBounds.lengthMax) return null;
  // Every other part is what stood in braces.
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
