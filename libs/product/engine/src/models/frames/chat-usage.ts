import type { JsonObject } from '@app/kernel';
import type { Counts } from './frame-notes';
import { isEmpty, objectIn } from './frame-notes';

/** The counts of a frame: its own, Groq's, or those that Moonshot puts into the choice. */
export function countsIn(frame: JsonObject, choices: readonly JsonObject[]): Counts {
  const places = [frame['usage'], objectIn(frame['x_groq'])?.['usage'], ...choices.map(({ usage }) => usage)];
  const usage = places.map(objectIn).find((place) => place !== null && !isEmpty(place));
  if (usage === undefined || usage === null) return {};
  const prompt = objectIn(usage['prompt_tokens_details'] ?? usage['input_tokens_details']) ?? {};
  const completion = objectIn(usage['completion_tokens_details'] ?? usage['output_tokens_details']) ?? {};
  return {
    input: usage['prompt_tokens'] ?? usage['input_tokens'],
    output: usage['completion_tokens'] ?? usage['output_tokens'],
    total: usage['total_tokens'],
    cached: prompt['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
    reasoning: completion['reasoning_tokens'],
  };
}
