import { summaryOf, termsOf, type ConsentWords } from '@app/consent';
import { joined, quotedExactly, trimmed, valueAt, words } from '@app/kernel';
import type { JsonObject, JsonValue, Words } from '@app/kernel';
import type { ConsentTemplate } from '@app/settings';

/**
 * The consent text for a call: the operator's template with the values of the input inserted. Values are quoted exactly, so that none
 * passes for a sentence of ours or for another value; the summary shortens them, the terms do not.
 */
export function askedWords(template: ConsentTemplate, input: JsonObject): ConsentWords {
  const summary = summaryOf([sentence(template, input)]);
  if (summary === null) throw new RangeError('a template of consent is longer than its bounds');
  return { summary, terms: termsOf({ what: sentence(template, input, Infinity), 'how often': words`once` }) };
}

/** The consent text for a tool without a template of the operator. */
export function namelessCall(tool: string, server: string): ConsentWords {
  return {
    summary: words`Call the tool ${quotedExactly(tool)} of ${quotedExactly(server)} with the input shown.`,
    terms: [],
  };
}

function sentence(template: ConsentTemplate, input: JsonObject, quotedLengthMax?: number): Words {
  const told = template.map((part) =>
    typeof part === 'string' ? part : valueWords(valueAt(input, part.pointer), quotedLengthMax),
  );
  const text = trimmed(joined(told, ''));
  return /[.!?]$/.test(text) ? text : words`${text}.`;
}

function valueWords(value: JsonValue | undefined, quotedLengthMax?: number): Words {
  if (value === undefined) return words`(not given)`;
  if (value === null) return words`null`;
  if (typeof value === 'number') return words`${value}`;
  if (typeof value === 'boolean') return value ? words`true` : words`false`;
  return quotedExactly(value, quotedLengthMax);
}
