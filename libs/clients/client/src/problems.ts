import { reasons, withdrawalChanges, type Reason, type WithdrawalChange } from './generated/enums.js';
import type { Schemas } from './types.js';

/** The service's description of a failure: an RFC 9457 problem. */
export type Problem = Schemas['Problem'];
/** One mistake in a body or a query; `path` is a JSON pointer, empty for the root. */
export type Issue = NonNullable<Problem['issues']>[number];

const problemName = 'ParleyProblem';
const unreachableName = 'ParleyUnreachable';

/**
 * The service answered, and refused. Compare `reason` (a closed set) or `type`; `title` is for logs. `retryable` says
 * whether exactly the same request can succeed later: the client has already retried it within the bounds of its
 * `retry` options.
 */
export class ParleyProblem extends Error {
  override readonly name = problemName;
  /** `urn:parley:error:<kind>`; stable. */
  readonly type: string;
  readonly title: string;
  /** The HTTP status. */
  readonly status: number;
  /** Absent on 404, 405, 413, and on a 401 for a token that is missing or invalid. */
  readonly reason: Reason | undefined;
  /** Quote it when you report the failure. */
  readonly requestId: string;
  readonly retryable: boolean;
  /** Present only with `withdrawal_changed`: what to do about it. */
  readonly change: WithdrawalChange | undefined;
  /** Present only with `invalid_input`: which part failed. */
  readonly detail: string | undefined;
  /** Present only with `invalid_input`. */
  readonly issues: readonly Issue[] | undefined;
  /** The delay that `Retry-After` asks for, if it was sent. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(
      `${problem.title} (${[problem.status, problem.reason, problem.change, problem.detail].filter(Boolean).join(', ')})`,
    );
    this.type = problem.type;
    this.title = problem.title;
    this.status = problem.status;
    this.reason = problem.reason;
    this.requestId = problem.requestId;
    this.retryable = problem.retryable;
    this.change = problem.change;
    this.detail = problem.detail;
    this.issues = problem.issues;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** How a call failed without an answer of the service itself. */
export interface Unreached {
  /** `connection`: none, or it broke. `timeout`: no whole answer in time. `answer`: not the service's. */
  readonly kind: 'connection' | 'timeout' | 'answer';
  /**
   * `not_sent`: the request was not sent, so nothing has happened. `unknown`: it may have been carried out; read the
   * recorded state before you act again. Always `unknown` in a browser, which gives a page no further details.
   */
  readonly outcome: 'not_sent' | 'unknown';
  /** Host and port that the request was sent to, or would have been: `parley.example.com:443`. */
  readonly host: string;
  /** The id that the request carried. */
  readonly requestId: string;
  /** The HTTP status, if there was an answer at all. */
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The service could not be reached, or its answer did not arrive whole. */
export class ParleyUnreachable extends Error implements Unreached {
  override readonly name = unreachableName;
  readonly kind: Unreached['kind'];
  readonly outcome: Unreached['outcome'];
  readonly host: string;
  readonly requestId: string;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { kind, outcome, host, requestId, status, retryAfterSeconds, cause }: Unreached) {
    super(message, { cause });
    this.kind = kind;
    this.outcome = outcome;
    this.host = host;
    this.requestId = requestId;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether an error is a problem reported by the service, including one created by another copy of this package. */
export function isProblem(error: unknown): error is ParleyProblem {
  return isNamed(error, problemName);
}

/** Whether an error says that the service could not be reached, including one created by another copy of this package. */
export function isUnreachable(error: unknown): error is ParleyUnreachable {
  return isNamed(error, unreachableName);
}

// Compares names, because `instanceof` recognizes only one copy of a class.
function isNamed(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name;
}

/** Whether an error is a problem with one of these reasons: `if (isReason(error, 'run_active')) …`. */
export function isReason<Wanted extends Reason>(
  error: unknown,
  ...wanted: readonly Wanted[]
): error is ParleyProblem & { readonly reason: Wanted } {
  return isProblem(error) && wanted.some((reason) => reason === error.reason);
}

/** Returns a problem document, or null for another value. Leaves out reasons and changes that are unknown here. */
export function problemOf(value: unknown): Problem | null {
  if (typeof value !== 'object' || value === null) return null;
  // Reason for the assertion: every member is checked below before it is used.
  const given = value as Record<keyof Problem, unknown>;
  const { type, title, status, reason, requestId, retryable, change, detail, issues } = given;
  if (typeof type !== 'string' || typeof title !== 'string' || typeof requestId !== 'string') return null;
  if (typeof status !== 'number' || typeof retryable !== 'boolean') return null;
  const known = reasons.find((one) => one === reason);
  const knownChange = withdrawalChanges.find((one) => one === change);
  return {
    type,
    title,
    status,
    requestId,
    retryable,
    ...(known !== undefined && { reason: known }),
    ...(knownChange !== undefined && { change: knownChange }),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(issues) && { issues: issues.filter(isIssue) }),
  };
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== 'object' || value === null) return false;
  return 'path' in value && typeof value.path === 'string' && 'message' in value && typeof value.message === 'string';
}
