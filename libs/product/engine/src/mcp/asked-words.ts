import { quotation, summaryOf, termsOf, type ConsentWords } from '@app/consent';
import { valueAt, type JsonObject, type JsonValue } from '@app/kernel';
import type { ConsentTemplate } from '@app/runtime';

/**
 * What a user is asked about a call: the operator's words, with the values of its input between them. Texts of the input stand in
 * quotation marks, which they cannot end, so none passes for a sentence of ours; the summary shortens them, the terms do not.
 */
export function askedWords(template: ConsentTemplate, input: JsonObject): ConsentWords {
  const summary = summaryOf([sentence(template, input)]);
  if (summary === null) throw new RangeError('a template of consent is longer than its bounds');
  return { summary, terms: termsOf({ what: sentence(template, input, Infinity), 'how often': 'once' }) };
}

function sentence(template: ConsentTemplate, input: JsonObject, quotedLengthMax?: number): string {
  const told = template.map((part) =>
    typeof part === 'string' ? part : valueWords(valueAt(input, part.pointer), quotedLengthMax),
  );
  const text = told.join('').trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function valueWords(value: JsonValue | undefined, quotedLengthMax?: number): string {
  if (value === undefined) return '(not given)';
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return quotation(typeof value === 'string' ? value : JSON.stringify(value), quotedLengthMax);
}
