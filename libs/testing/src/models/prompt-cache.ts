/** A part of a prompt, in the order in which a provider reads it; `marked`: its cache should keep the prompt up to here. */
export interface PromptPiece {
  readonly text: string;
  readonly marked: boolean;
}

/** The tokens of a prompt, as the provider's usage reports them. */
interface CountedInput {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
}

/**
 * A provider's cache of prompts, as strict as the real one: it counts from the requests that were really received.
 *
 * Source: github.com/openai/openai-cookbook, "Prompt Caching 201"; Anthropic's documentation, "Prompt caching".
 */
export interface PromptCache {
  count(pieces: readonly PromptPiece[]): CountedInput;
}

/** Neither provider caches less (some of Anthropic's models require 2,048 or 4,096). */
const tokensMin = 1024;
/** Four bytes a token, approximately as English text is counted. */
const tokensOf = (text: string): number => Math.floor(Buffer.byteLength(text) / 4);

/**
 * OpenAI's cache: for every prompt of 1,024 tokens or more, the longest beginning that an earlier one had, in steps of
 * 128, without marks and free of charge (github.com/openai/openai-cookbook, "Prompt Caching 201"). vLLM, llama.cpp,
 * DeepSeek and xAI cache beginnings in the same way.
 */
export class PrefixCache implements PromptCache {
  private readonly seen: string[] = [];

  count(pieces: readonly PromptPiece[]): CountedInput {
    const prompt = pieces.map(({ text }) => text).join('');
    const shared = Math.max(0, ...this.seen.map((earlier) => tokensOf(prompt.slice(0, commonLength(prompt, earlier)))));
    this.seen.push(prompt);
    const cachedInputTokens = shared < tokensMin ? 0 : shared - (shared % 128);
    return { inputTokens: tokensOf(prompt), cachedInputTokens, cacheWriteTokens: 0 };
  }
}

/** Number of blocks before a mark in which Anthropic's cache searches for a cached beginning. */
const lookedBack = 20;

/**
 * Anthropic's cache: keeps beginnings up to the marks, at most four of them; tools first, then the system message, then
 * the conversation. It finds a beginning at a mark, or up to 20 blocks before one, if an earlier request had a mark
 * there (Anthropic's documentation, "Prompt caching"). Newly cached tokens are counted separately, and cost more.
 */
export class MarkedCache implements PromptCache {
  private readonly kept = new Set<string>();

  count(pieces: readonly PromptPiece[]): CountedInput {
    const beginnings = pieces.map((_piece, at) =>
      pieces
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join('\n'),
    );
    const marks = pieces.flatMap(({ marked }, at) => (marked ? [at] : []));
    const tokensUpTo = (at: number): number => tokensOf(beginnings[at] ?? '');
    const isFound = (at: number): boolean => this.kept.has(beginnings[at] ?? '');
    const found = marks.flatMap((mark) =>
      Array.from({ length: lookedBack + 1 }, (_none, back) => mark - back).filter((at) => at >= 0 && isFound(at)),
    );
    const cachedInputTokens = Math.max(0, ...found.map(tokensUpTo));
    const worth = marks.filter((mark) => tokensUpTo(mark) >= tokensMin);
    const cacheWriteTokens = Math.max(0, ...worth.map((mark) => tokensUpTo(mark) - cachedInputTokens));
    for (const mark of worth) this.kept.add(beginnings[mark] ?? '');
    return { inputTokens: tokensUpTo(pieces.length - 1), cachedInputTokens, cacheWriteTokens };
  }
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
