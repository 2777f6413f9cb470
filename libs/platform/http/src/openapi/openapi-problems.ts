import { STATUS_CODES } from 'node:http';
import { reasons, withdrawalChanged, withdrawalChanges, type JsonObject, type Reason } from '@app/kernel';
import { integer, list, optional, oneOf, boolean, shape, text } from '@app/schema';
import { headersOf } from './openapi-headers';
import { toProblem } from '../problems/problems';
import type { Area, Contract } from '../operation/operation';
import { namesIn } from '../operation/path-names';

const sampleRequestId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f';

const changesInWords = Object.entries(withdrawalChanges)
  .map(([change, words]) => `\`${change}\`: ${words}`)
  .join('. ');

/** An RFC 9457 problem (specification, "Errors"). */
export const problemShape = shape(
  'Problem',
  {
    type: text({ pattern: /^urn:parley:error:[a-z_]+$/, description: 'Stable: compare against it' }),
    title: text({ description: 'For logs; never parse it' }),
    status: integer({ min: 400, max: 599, description: 'The HTTP status, repeated' }),
    reason: optional(oneOf(Object.keys(reasons), { description: 'The cause, for machines' })),
    requestId: text({ description: 'The id used for this request: quote it when you report a fault' }),
    retryable: boolean({ description: 'Whether the same request can succeed later, unchanged' }),
    change: optional(
      oneOf(Object.keys(withdrawalChanges), {
        description: `Of \`withdrawal_changed\` only, what to do about it: ${changesInWords}`,
      }),
    ),
    detail: optional(text({ description: 'Of `invalid_input` only: which part failed' })),
    issues: optional(
      list(
        shape('InputIssue', { path: text({ description: 'A JSON pointer; empty for the root' }), message: text() }),
        {
          description: 'Of `invalid_input` only: everything that failed',
        },
      ),
    ),
  },
  { description: 'Every failure is an RFC 9457 problem' },
);

/** The causes for which any operation of an area can be refused. Those without a reason of their own are statuses. */
const ofPartnerArea: readonly (Reason | number)[] = [
  'invalid_input',
  'partner_key_required' as const,
  'partner_key_invalid' as const,
  'credential_expired' as const,
  401,
  'origin_rejected' as const,
  'account_disabled' as const,
  'subject_mismatch' as const,
  404,
  'account_not_provisioned' as const,
  'rate_limited' as const,
  'internal' as const,
  503,
];
const ofOperatorArea: readonly (Reason | number)[] = [
  'invalid_input',
  'credential_expired',
  401,
  'origin_rejected',
  'permission_required',
  404,
  'rate_limited',
  'internal',
  503,
];
const ofFeedArea: readonly (Reason | number)[] = [
  'invalid_input',
  'partner_key_required',
  'partner_key_invalid',
  'origin_rejected',
  'permission_required',
  'rate_limited',
  'internal',
  503,
];
const ofOwnArea: readonly (Reason | number)[] = ['invalid_input', 'origin_rejected', 404, 'internal', 503];

/** The answers that operations share, each once under `#/components/responses`. */
export class ResponseComponents {
  private readonly found = new Map<string, JsonObject>();

  keep(name: string, response: JsonObject): JsonObject {
    const known = this.found.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response)) {
      throw new Error(`two different responses are named ${name}`);
    }
    this.found.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }

  /** Sorted by name. */
  get responses(): JsonObject {
    return Object.fromEntries([...this.found].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** Reasons to refuse an operation, by status: its area's and its own; an empty list for a status without any. */
export function reasonsOf(contract: Contract, isList: boolean): ReadonlyMap<number, readonly Reason[]> {
  const { reasons: own = [], body = 'none', signed, ranged } = contract;
  const all = new Set<Reason | number>([
    ...ofArea(contract),
    ...(isList ? (['invalid_cursor'] as const) : []),
    413,
    ...(body === 'none' ? [] : [415]),
    ...(signed === true ? [401] : []),
    ...(ranged === true ? [416] : []),
    ...own,
  ]);
  const statuses = [...new Set([...all].map(statusOf))].sort((one, other) => one - other);
  return new Map(statuses.map((status) => [status, reasonsAt(status, all)]));
}

function reasonsAt(status: number, all: ReadonlySet<Reason | number>): readonly Reason[] {
  const named = [...all].filter(
    (cause): cause is Reason => typeof cause === 'string' && reasons[cause].status === status,
  );
  // 503 `internal` is the one reason that two statuses share (docs/decisions/conventions.md, "Problems").
  return status === 503 ? ['internal', ...named] : named;
}

/**
 * The answers of an operation that are problems, by status. All of them have one schema; their reasons are listed in text, and under
 * `x-reasons` of the operation.
 */
export function problemResponses(
  contract: Contract,
  causes: ReadonlyMap<number, readonly Reason[]>,
  shared: ResponseComponents,
  deprecated: boolean,
): JsonObject {
  const { reasons: own = [], signed } = contract;
  const isOwn = (status: number) =>
    (signed === true && status === 401) || own.some((reason) => statusOf(reason) === status);
  const answers = [...causes].map(([status, named]) => {
    const response = problemResponse(contract, status, named, deprecated);
    return [status, isOwn(status) ? response : shared.keep(sharedName(status, contract, named), response)] as const;
  });
  return Object.fromEntries(answers);
}

/** Areas differ in their headers and in the causes of refusals, and lists in that they use cursors. */
function sharedName(status: number, { area }: Contract, named: readonly Reason[]): string {
  const name = (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '');
  if (area === 'feed') return `${name}OfFeed`;
  if (named.includes('invalid_cursor')) return `${name}OrCursor`;
  return area === 'partner' || area === 'operator' ? name : `${name}WithoutKey`;
}

/** Open operations can only be refused because a name in the path does not exist. */
function ofArea({ area, path, signed }: Contract): readonly (Reason | number)[] {
  if (area === 'partner') return ofPartnerArea;
  if (area === 'operator') return ofOperatorArea;
  if (area === 'feed') return ofFeedArea;
  // A signed operation does not reveal what exists.
  if (area === 'own') return signed === true ? ofOwnArea.filter((cause) => cause !== 404) : ofOwnArea;
  return namesIn(path).length > 0 ? [404] : [];
}

function statusOf(cause: Reason | number): number {
  return typeof cause === 'number' ? cause : reasons[cause].status;
}

function problemResponse(
  contract: Contract,
  status: number,
  named: readonly Reason[],
  deprecated: boolean,
): JsonObject {
  return {
    description: describe(status, named, contract.area),
    headers: {
      ...headersOf(contract, deprecated, {
        ...(status === 429 && { 'Retry-After': 'RetryAfter' }),
        ...(status === 401 && { 'WWW-Authenticate': 'WwwAuthenticate' }),
      }),
      ...(status === 415 && {
        'Accept-Encoding': {
          description: 'How a body is taken',
          schema: { type: 'string' },
          example: 'identity',
        },
      }),
      ...(status === 416 && {
        'Content-Range': {
          description: 'How many bytes there are',
          schema: { type: 'string' },
          example: 'bytes */146515',
        },
      }),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: sampleOf(status, named[0]),
      },
    },
  };
}

function describe(status: number, named: readonly Reason[], area: Area): string {
  const lines = named.map((reason) => {
    const { title, retryable } = reasons[reason];
    return `- \`${reason}\`: ${title}${retryable || status === 503 ? ' (retryable)' : ''}`;
  });
  const bare = status === 401 ? [`- no reason: ${unaccepted[area]}`] : [];
  return [STATUS_CODES[status] ?? String(status), ...lines, ...bare].join('\n');
}

/** The meaning of a 401 without a reason. */
const unaccepted: Readonly<Record<Area, string>> = {
  partner: 'the user token is missing or not accepted',
  operator: 'the token is missing or not accepted',
  feed: 'the key is not good',
  own: 'the key or the signature is not good',
  open: 'nothing is asked for',
};

function sampleOf(status: number, reason: Reason | undefined): JsonObject {
  // Reason for the assertion: a problem consists of JSON.
  return JSON.parse(JSON.stringify(toProblem(failureOf(status, reason), sampleRequestId))) as JsonObject;
}

type BareProblem = Extract<Parameters<typeof toProblem>[0], { readonly kind: 'bare' }>['problem'];
const bareProblems: Readonly<Record<number, Exclude<BareProblem, 'unauthenticated'>>> = {
  413: 'too_large',
  415: 'unsupported_encoding',
  416: 'range_not_satisfiable',
};

function failureOf(status: number, reason: Reason | undefined): Parameters<typeof toProblem>[0] {
  if (reason === 'invalid_input') {
    return { kind: 'invalid_input', issues: [{ path: '/limit', message: 'must be a whole number from 1 to 100' }] };
  }
  if (reason === 'internal') return status === 503 ? { kind: 'unavailable', reason } : { kind: 'internal' };
  if (reason === 'provider_unavailable' || reason === 'engine_unavailable') return { kind: 'unavailable', reason };
  if (reason === 'withdrawal_changed') return withdrawalChanged('insufficient_balance');
  if (reason !== undefined) return { kind: 'reason', reason };
  return status === 404
    ? { kind: 'not_found' }
    : {
        kind: 'bare',
        problem: bareProblems[status] ?? 'unauthenticated',
      };
}
