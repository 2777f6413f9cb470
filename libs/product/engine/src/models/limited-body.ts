import { isJsonObject, type JsonValue } from '@app/kernel';

/** How a provider names its output limit; OpenAI's newer models take the second name only. */
export type LimitName = 'max_tokens' | 'max_completion_tokens';

export interface LimitedBody {
  readonly body: string;
  /** Null where the request has none. */
  readonly limit: number | null;
}

/** A request's body with no larger output limit than `tokensMax`, under that name; one that is smaller already is kept. */
export function limitBody(body: string, tokensMax: number | null, name: LimitName): LimitedBody {
  // Reason for the assertion: JSON.parse makes nothing but JSON.
  const request = JSON.parse(body) as JsonValue;
  if (!isJsonObject(request)) throw new TypeError('a request to a model is an object');
  const { max_tokens: old, max_completion_tokens: present = old, ...rest } = request;
  const limit = typeof present === 'number' ? Math.min(present, tokensMax ?? present) : tokensMax;
  return limit === null ? { body, limit } : { body: JSON.stringify({ ...rest, [name]: limit }), limit };
}
