import type { OutputRoom } from './provider';

/** The limit's names in all formats, and in prose. */
const limitWords =
  /max_?(completion_?|output_?|new_?)?tokens|maximum tokens|(output|completion) tokens|in the completion/i;
/** Patterns of the limit of prompt and answer together, and its size. */
const contextSizes = [
  /\d+ \+ \d+ > (\d+)/,
  /(?:context[ _]?(?:length|size|window|limit)|model maximum|must be <=)[^\d]{0,40}?(\d+)/i,
];
/** Patterns of the size of the prompt as the provider counted it, each in another provider's words. */
const promptSizes = [
  /(\d+) (?:tokens )?(?:in|of|from) (?:the |your )?(?:messages|text input|input|prompt)/i,
  /(\d+) (?:prompt |input |`inputs` )tokens/i,
  /prompt contains (?:at least )?(\d+)/i,
  /(\d+) \+ \d+ > \d+/,
];
/** Status codes in the report itself, which are no limits. */
const ofReport = /"?(code|status|status_code)"?\s*:\s*"?\d+"?/gi;
/** Too few for an answer; a smaller number in a refusal is no limit. */
const tokensMin = 16;

/**
 * Returns the largest output limit that a provider accepts, from the words in which it refused a larger one; null for any other refusal. If
 * it names the size of prompt and answer together, the limit is the part that the prompt leaves.
 */
export function outputRoomIn(status: number, body: string, sentLimit: number): OutputRoom | null {
  if (![400, 402, 413, 422, 500].includes(status) || !limitWords.test(body)) return null;
  const text = body.replace(ofReport, '').replace(/(\d)[,_](?=\d{3}\b)/g, '$1');
  const context = firstNumberIn(contextSizes, text);
  const prompt = firstNumberIn(promptSizes, text);
  if (context !== null && prompt !== null) {
    const tokens = context - prompt;
    return tokens < tokensMin || tokens >= sentLimit ? null : { tokens, contextTokens: context };
  }
  const named = numbersIn(text).filter((number) => number >= tokensMin && number < sentLimit);
  if (named.length > 0) return { tokens: Math.max(...named), contextTokens: null };
  // It names our limit, and no other.
  const isOurs = numbersIn(text).includes(sentLimit) && sentLimit >= 2 * tokensMin;
  return isOurs ? { tokens: Math.floor(sentLimit / 2), contextTokens: null } : null;
}

function firstNumberIn(words: readonly RegExp[], text: string): number | null {
  const found = words.map((one) => one.exec(text)?.[1]).find((digits) => digits !== undefined);
  return found === undefined ? null : Number(found);
}

/** Returns the numbers in a text, except those within a name, such as a model's. */
function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\w.-])\d{1,12}(?![\w-]|\.\d)/g)].map(([digits]) => Number(digits));
}
