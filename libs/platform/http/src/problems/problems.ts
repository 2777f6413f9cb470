import { problemKinds, reasons, unreachable } from '@app/kernel';
import type { Issue, ProblemKind, Reason, Refusal, Result, WithdrawalChange } from '@app/kernel';

/** An RFC 9457 problem in the shape of the specification ("Errors"). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly reason?: Reason;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly change?: WithdrawalChange;
  readonly detail?: string;
  readonly issues?: readonly Issue[];
}

/**
 * The failures of a request: a refusal by the domain; one by the transport, which carries no reason; or a fault, of a dependency (503) or
 * of the service (500).
 */
export type Failure =
  | Refusal
  | { readonly kind: 'bare'; readonly problem: 'unauthenticated'; readonly isOfToken?: true }
  | {
      readonly kind: 'bare';
      readonly problem: 'method_not_allowed' | 'too_large' | 'unsupported_encoding' | 'range_not_satisfiable';
    }
  | { readonly kind: 'unavailable'; readonly reason: 'internal' | 'engine_unavailable' | 'provider_unavailable' }
  | { readonly kind: 'internal' };

export const notAuthenticated: Failure = { kind: 'bare', problem: 'unauthenticated' };
/** A user token was sent, but not accepted. */
export const tokenRefused: Failure = { kind: 'bare', problem: 'unauthenticated', isOfToken: true };
export const notServed: Failure = { kind: 'unavailable', reason: 'internal' };

/** Maximum number of issues in one answer; a hostile body can have many more. */
const issuesMax = 100;

/** Returns the problem that reports a failure to a client (docs/decisions/conventions.md, "Problems"). */
export function toProblem(failure: Failure, requestId: string): Problem {
  switch (failure.kind) {
    case 'reason': {
      const row = reasons[failure.reason];
      return {
        ...head(row.kind, row.title, row.status),
        reason: failure.reason,
        requestId,
        retryable: failure.retryable ?? row.retryable,
        ...(failure.change !== undefined && { change: failure.change }),
        ...(failure.detail !== undefined && { detail: failure.detail }),
      };
    }
    case 'not_found':
      return { ...bare('not_found'), requestId, retryable: false };
    case 'invalid_input':
      return {
        ...bare('invalid_input'),
        reason: 'invalid_input',
        requestId,
        retryable: false,
        detail: detailOf(failure.issues),
        issues: failure.issues.slice(0, issuesMax),
      };
    case 'bare':
      return { ...bare(failure.problem), requestId, retryable: false };
    case 'unavailable':
      return { ...unavailable(failure.reason), reason: failure.reason, requestId, retryable: true };
    case 'internal':
      return { ...bare('internal'), reason: 'internal', requestId, retryable: false };
    default:
      return unreachable(failure);
  }
}

/** Thrown anywhere behind a route, it ends the request with the failure's problem and these headers. */
export class ProblemException extends Error {
  constructor(
    readonly failure: Failure,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(failure.kind);
  }
}

/** Returns the value of a use case's success. @throws ProblemException for its refusal */
export function answer<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  const { refusal } = result;
  const seconds = refusal.kind === 'reason' ? refusal.retryAfterSeconds : undefined;
  throw new ProblemException(refusal, seconds === undefined ? {} : { 'retry-after': String(seconds) });
}

function unavailable(reason: 'internal' | 'engine_unavailable' | 'provider_unavailable') {
  // The row of `internal` has status 500.
  return reason === 'internal' ? bare('unavailable') : { ...bare('unavailable'), title: reasons[reason].title };
}

function bare(kind: ProblemKind) {
  return head(kind, problemKinds[kind].title, problemKinds[kind].status);
}

function head(kind: ProblemKind, title: string, status: number) {
  return { type: `urn:parley:error:${kind}`, title, status };
}

function detailOf(issues: readonly Issue[]): string {
  const first = issues[0];
  if (first === undefined) return 'The request is not valid';
  const where = first.path === '' ? 'The request' : first.path;
  const others = issues.length - 1;
  return others === 0 ? `${where}: ${first.message}` : `${where}: ${first.message} (and ${others} more)`;
}
