/** Endings of an answer that is not whole, in OpenAI's words; `error` is OpenRouter's. */
export type TellingEnd = 'length' | 'content_filter' | 'error';

/**
 * Spellings of servers and gateways, in lower case and without punctuation: OpenAI, Anthropic, Gemini, Bedrock, Mistral, Cohere, Z.ai,
 * DeepSeek, SGLang.
 */
const spellings: Readonly<Record<TellingEnd, readonly string[]>> = {
  length: [
    'length',
    'maxtokens',
    'maxoutputtokens',
    'maxcompletiontokens',
    'modellength',
    'modelcontextwindowexceeded',
    'contextlengthexceeded',
    'errorlimit',
  ],
  content_filter: [
    'contentfilter',
    'contentfiltered',
    'refusal',
    'safety',
    'imagesafety',
    'recitation',
    'blocklist',
    'prohibitedcontent',
    'spii',
    'modelarmor',
    'sensitive',
    'guardrailintervened',
    'errortoxic',
  ],
  error: [
    'error',
    'networkerror',
    'insufficientsystemresource',
    'abort',
    'aborted',
    'cancelled',
    'canceled',
    'timeout',
    'malformedfunctioncall',
    'malformedtooluse',
    'unexpectedtoolcall',
  ],
};
/** Endings of a whole answer. */
const whole: readonly string[] = [
  'stop',
  'endturn',
  'complete',
  'completed',
  'eos',
  'eostoken',
  'endoftext',
  'stopsequence',
  'toolcalls',
  'toolcall',
  'tooluse',
  'functioncall',
  'pauseturn',
  'compaction',
];

/** Null for an ending of a whole answer; `unknown` for one of no known meaning, which counts as whole. */
export function endingOf(reason: string): TellingEnd | 'unknown' | null {
  const spelled = reason.toLowerCase().replace(/[^a-z]/g, '');
  for (const [end, names] of Object.entries(spellings))
    // Reason for the assertion: the entries have no other names.
    if (names.includes(spelled)) return end as TellingEnd;
  return whole.includes(spelled) ? null : 'unknown';
}
