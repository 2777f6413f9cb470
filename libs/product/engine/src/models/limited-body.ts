import { isJsonObject, type JsonValue } from '@app/kernel';

/** How a provider names its output limit; OpenAI's newer models take the second name only. */
export type LimitName = 'max_tokens' | 'max_completion_tokens';

export interface LimitedBody {
  readonly body: string;
  /** Null if the request has none. */
  readonly limit: number | null;
}

/** Returns a request's body with an output limit of at most `tokensMax`, under that name; a smaller limit is kept. */
export function limitBody(body: string, tokensMax: number | null, name: LimitName): LimitedBody {
  // Reason for the assertion: JSON.parse returns nothing but JSON.
  const request = JSON.parse(body) as JsonValue;
  if (!isJsonObject(request)) throw new TypeError('a request to a model is an object');
  const { max_tokens: old, max_completion_tokens: present = old, ...rest } = request;
  const limit = typeof present === 'number' ? Math.min(present, tokensMax ?? present) : tokensMax;
  return limit === null ? { body, limit } : { body: JSON.stringify({ ...rest, [name]: limit }), limit };
}
