/**
 * The single table of machine-readable reasons (specification, "Errors"; docs/decisions/conventions.md, "Problems"). Handlers, documents
 * and tests all read it; a reason that is not in it does not exist.
 */
export const reasons = {
  run_active: conflict('A run already holds this conversation', true),
  budget_exhausted: conflict("The user's spend headroom is gone, or an operator froze it", true),
  approval_not_pending: conflict('The approval is not pending', false),
  execution_capacity: conflict('No execution capacity is free now', true),
  execution_unavailable: conflict('The execution engine could not take the work', true),
  stop_pending: conflict('A stop is in progress and its cleanup is not confirmed', true),
  automation_changed: conflict('The automation has changed', false),
  automation_held: conflict('An operator holds the automation', true),
  automation_invalid: conflict('The definition cannot run as written', false),
  automation_completed: conflict('The automation has finished for good', false),
  automation_limit: conflict('The user has as many automations as the deployment allows', false),
  profile_unknown_tool: conflict('The run profile names a tool that the deployment lacks', false),
  deployment_paused: conflict('An operator paused a deployment control', true),
  run_not_active: conflict("The run is not the conversation's live run", false),
  withdrawal_changed: conflict('The withdrawal cannot be prepared or confirmed as asked', false),
  credential_expired: reason(401, 'unauthenticated', 'The user token has expired', false),
  partner_key_required: reason(401, 'unauthenticated', 'A partner key is required', false),
  partner_key_invalid: reason(401, 'unauthenticated', 'The partner key is unknown or revoked', false),
  account_disabled: reason(403, 'forbidden', 'The account is disabled', false),
  subject_mismatch: reason(403, 'forbidden', "The path names another user than the token's", false),
  origin_rejected: reason(403, 'forbidden', 'The browser origin is not allowed', false),
  permission_required: reason(403, 'forbidden', 'The credential lacks the needed scope', false),
  account_not_provisioned: reason(412, 'not_provisioned', 'No account yet for this identity', false),
  provider_unavailable: reason(503, 'unavailable', 'An external provider did not answer', true),
  engine_unavailable: reason(503, 'unavailable', 'The execution engine did not answer', true),
  invalid_input: reason(400, 'invalid_input', 'The request failed validation', false),
  invalid_cursor: reason(400, 'invalid_input', 'The cursor is not one that this list minted', false),
  internal: reason(500, 'internal', 'A fault on the service side', false),
  rate_limited: reason(429, 'rate_limited', 'A limit is reached', true),
  stream_capacity: reason(429, 'rate_limited', 'No stream socket is free', true),
  // Used by the operator API only, because the set is closed within /v1.
  projection_state: conflict('The read model, or its rebuild, is not in a state for that', false),
  differences_unseen: conflict('The tables differ, and the digest is not that of their differences', false),
} as const satisfies Record<string, ReasonRow>;

export type Reason = keyof typeof reasons;

/**
 * The advice of `withdrawal_changed` to its caller: the member `change` of that problem, with its description in documents
 * (docs/decisions/approvals.md).
 */
export const withdrawalChanges = {
  unknown_token: 'the provider knows no such token; choose one of the sources',
  not_expressible: 'no contract can name the asset, or so much of it; choose another',
  insufficient_balance: 'the balance less what is in flight does not cover it; ask for less',
  expired: 'its time is over; prepare it again',
  not_prepared: 'it was confirmed or denied before; read the operation',
  fingerprint: 'the fingerprint is not that of the prepared withdrawal; show it to the user again',
  authorization_required: 'the wallet has no session that its provider takes; `wallets.ensure` connects it',
  wallet_disabled: 'an operator disabled the wallet',
  main_account_missing: 'the token names no main account, or another than was reviewed',
} as const;

export type WithdrawalChange = keyof typeof withdrawalChanges;

/** The `<kind>` of a problem's `type` URN, with its status. */
export const problemKinds = {
  invalid_input: { status: 400, title: 'The request failed validation' },
  unauthenticated: { status: 401, title: 'The credentials were not accepted' },
  forbidden: { status: 403, title: 'The request is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  conflict: { status: 409, title: 'The request conflicts with the present state' },
  not_provisioned: { status: 412, title: 'No account yet for this identity' },
  too_large: { status: 413, title: 'The body is larger than the deployment accepts' },
  unsupported_encoding: { status: 415, title: 'The body has a Content-Encoding: send it as it is' },
  range_not_satisfiable: { status: 416, title: 'The file ends before the range that is asked for' },
  rate_limited: { status: 429, title: 'A limit is reached' },
  internal: { status: 500, title: 'A fault on the service side' },
  unavailable: { status: 503, title: 'A dependency did not answer' },
} as const;

export type ProblemKind = keyof typeof problemKinds;

export interface ReasonRow {
  readonly status: number;
  readonly kind: ProblemKind;
  readonly title: string;
  /** Whether repeating the same request later can succeed unchanged. */
  readonly retryable: boolean;
}

/** @typeParam Title a literal, so that it may be part of a sentence (`words.ts`) */
function reason<Kind extends ProblemKind, const Title extends string>(
  status: number,
  kind: Kind,
  title: Title,
  retryable: boolean,
) {
  return { status, kind, title, retryable };
}

function conflict<const Title extends string>(title: Title, retryable: boolean) {
  return reason(409, 'conflict', title, retryable);
}
