import type { JsonObject, JsonValue } from '@app/kernel';
import type { Contract } from '../operation/operation';

type HeaderName = keyof typeof headerComponents;

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** The headers that answers share, as published under `#/components/headers`. */
const headerComponents = {
  RequestId: {
    description: "The id used for this request: the client's own `X-Request-Id` when it is well-formed",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,64}$' },
    example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f',
  },
  ContentTypeOptions: text('The media type is what `Content-Type` says, and nothing else', 'nosniff'),
  CacheControl: text(
    'Answers are kept by nobody, but for what the pages of `/docs` are made of, and what the log of all events is',
    'no-store',
  ),
  RateLimit: text(
    'What is left of each window, and when it frees a place (draft-ietf-httpapi-ratelimit-headers); on every answer once the key is known',
    '"key";r=599;t=60, "user";r=299;t=60',
  ),
  RateLimitPolicy: text(
    'The limits that apply: requests in any 60 s; on every answer once the key is known',
    '"key";q=600;w=60, "user";q=300;w=60',
  ),
  KeyRateLimit: text(
    'What is left of the window, and when it frees a place (draft-ietf-httpapi-ratelimit-headers); on every answer once the key is known',
    '"key";r=599;t=60',
  ),
  KeyRateLimitPolicy: text(
    'The limit that applies: requests in any 60 s; on every answer once the key is known',
    '"key";q=600;w=60',
  ),
  OperatorRateLimit: text(
    'What is left of the window, and when it frees a place (draft-ietf-httpapi-ratelimit-headers); on every answer once the operator is known',
    '"operator";r=299;t=60',
  ),
  OperatorRateLimitPolicy: text(
    'The limit that applies: requests in any 60 s; on every answer once the operator is known',
    '"operator";q=300;w=60',
  ),
  RetryAfter: {
    description: 'Seconds to wait before the same request; absent where waiting does not help',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
    example: 5,
  },
  WwwAuthenticate: text(
    'The scheme that is asked for; with `error="invalid_token"` where a token came and is not accepted',
    'Bearer',
  ),
  Location: text('The address that answers instead', 'http://127.0.0.1:8080/docs'),
  Deprecation: text('Since when `/v1` is deprecated (RFC 9745)', '@1793491200'),
  Sunset: text('When `/v1` is to be answered no more (RFC 8594)', 'Mon, 01 Nov 2027 00:00:00 GMT'),
  Link: text('Where the deprecation is described', '</docs>; rel="deprecation"; type="text/html"'),
} satisfies Record<string, JsonObject>;

const ofEveryAnswer: Readonly<Record<string, HeaderName>> = {
  'X-Request-Id': 'RequestId',
  'X-Content-Type-Options': 'ContentTypeOptions',
  'Cache-Control': 'CacheControl',
};
const ofPartnerAnswers: Readonly<Record<string, HeaderName>> = {
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
};
const ofFeedAnswers: Readonly<Record<string, HeaderName>> = {
  RateLimit: 'KeyRateLimit',
  'RateLimit-Policy': 'KeyRateLimitPolicy',
};
const ofOperatorAnswers: Readonly<Record<string, HeaderName>> = {
  RateLimit: 'OperatorRateLimit',
  'RateLimit-Policy': 'OperatorRateLimitPolicy',
};
const ofDeprecatedAnswers: Readonly<Record<string, HeaderName>> = {
  Deprecation: 'Deprecation',
  Sunset: 'Sunset',
  Link: 'Link',
};

/** The headers that any answer of an operation can have, plus the status's `own` ones. */
export function headersOf(
  { area }: Contract,
  deprecated: boolean,
  own: Readonly<Record<string, HeaderName>> = {},
): JsonObject {
  const isPartner = area === 'partner';
  const names = {
    ...ofEveryAnswer,
    ...(isPartner && ofPartnerAnswers),
    ...(area === 'feed' && ofFeedAnswers),
    ...(area === 'operator' && ofOperatorAnswers),
    ...(isPartner && deprecated && ofDeprecatedAnswers),
    ...own,
  };
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

/** The shared headers to which these answers refer. */
export function headersIn(answers: readonly JsonValue[]): JsonObject {
  const text = JSON.stringify(answers);
  return Object.fromEntries(Object.entries(headerComponents).filter(([name]) => text.includes(pointerTo(name))));
}

/** The pointer as it appears in JSON, with quotation marks, because one name can be the beginning of another. */
function pointerTo(name: string): string {
  return `"#/components/headers/${name}"`;
}
