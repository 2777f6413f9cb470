import { epochMsOf, instantOf, words, type Instant } from '@app/kernel';
import type { OperationFailure, Revocation, Submission } from './operation.events';
import { currentAction, type CurrentAction, type OperationState } from './operation.state';

/** How long after a submission's deadline the provider's last word on it is expected: by then it knows what was on its way. */
const lastWordAfterMs = 30_000;
/** An action whose turn comes late, after a slow one or by a confirmation in the last second, still has this long to be sent. */
const sendingMinMs = 60_000;

/** What a driver has learned since it began that the stream does not say. After a crash it knows nothing, and so asks first. */
export type Learned =
  | { readonly kind: 'nothing' }
  /** It has journaled the submission itself, a moment ago. */
  | { readonly kind: 'journaled'; readonly key: string }
  /** It has journaled the revocation of the submission itself, a moment ago. */
  | { readonly kind: 'revocation_journaled'; readonly key: string }
  /** The provider has not taken the submission; `isFinal`: it is proven that it never will. */
  | { readonly kind: 'never_accepted'; readonly key: string; readonly isFinal: boolean }
  /** Nothing more can be done before that instant; null when it is unknown. */
  | { readonly kind: 'wait'; readonly until: Instant | null };

/** What is to be done next for an operation. */
export type Step =
  /** Not used yet, or over. */
  | { readonly do: 'nothing' }
  | { readonly do: 'plan'; readonly index: number; readonly attempt: number; readonly latestDeadline: Instant }
  | { readonly do: 'send'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'ask'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'plan_revocation'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'revoke'; readonly index: number; readonly revocation: Revocation }
  | { readonly do: 'give_up'; readonly index: number; readonly key: string | null; readonly failure: OperationFailure }
  /** The provider had taken it, and it came to nothing all the same. */
  | { readonly do: 'fail'; readonly index: number; readonly key: string; readonly failure: OperationFailure }
  | Wait;

/** There is nothing to do before `until`, if that is known; then `noLaterThan` says when something else can be done at the latest. */
export interface Wait {
  readonly do: 'wait';
  readonly until: Instant | null;
  readonly noLaterThan: Instant | null;
}

/**
 * The process of an operation: what is next, from its stream and what this driver has learned.
 *
 * The rules (docs/decisions/money.md): bytes are journaled before they are sent. A driver that did not journal them a moment ago asks
 * what became of them before it sends them. The same bytes go out again only while the provider says that it has not taken them, has
 * not refused them, and their deadline has not passed. New bytes, and the end of the action, only once it is proven that the old ones
 * never will be executed; a refusal proves nothing, since others may have the bytes: it is revoked where
 * the provider can, by bytes that are journaled, and sent, as those of the submission are. New bytes only before the operation expires, and
 * nothing at all once the provider has taken them or could not say.
 */
export function nextStep(state: OperationState | null, now: Instant, learned: Learned): Step {
  const action = currentAction(state);
  if (state === null || action === null) return { do: 'nothing' };
  const { index, submission } = action;
  const last = lastInstant(state);
  if (learned.kind === 'wait') return wait(learned.until, submission === null ? last : lastWordOn(action), now);
  if (submission === null) {
    return now < last ? plan(index, 1, now, last) : { do: 'give_up', index, key: null, failure: timedOut };
  }
  if (learned.kind === 'journaled' && learned.key === submission.key && now < submission.deadline)
    return { do: 'send', index, submission };
  const { revocation } = action;
  if (learned.kind === 'revocation_journaled' && learned.key === submission.key && revocation !== null)
    return { do: 'revoke', index, revocation };
  if (learned.kind !== 'never_accepted' || learned.key !== submission.key) return { do: 'ask', index, submission };
  return afterNeverAccepted(state, { ...action, submission }, now, learned.isFinal);
}

const timedOut: OperationFailure = { reason: 'timed_out', text: words`The provider did not take it in time.` };

const neverDone: OperationFailure = {
  reason: 'provider_rejected',
  text: words`The provider took it and did not execute it in time.`,
};

/** From then on the provider's last word on it is expected. */
function lastWordFrom({ deadline }: Submission): Instant {
  return later(deadline, lastWordAfterMs);
}

/** The provider says that it has not taken what was journaled last. */
function afterNeverAccepted(
  state: OperationState,
  action: CurrentAction & { readonly submission: Submission },
  now: Instant,
  isFinal: boolean,
): Step {
  const { index, submission, providerReference, refusal, revocation } = action;
  const { key, attempt, deadline } = submission;
  const isSendable = state.status === 'submitted' && providerReference === null && refusal === null;
  if (isFinal) {
    const last = lastInstant(state);
    if (providerReference !== null) return { do: 'fail', index, key, failure: neverDone };
    if (isSendable && now < last) return plan(index, attempt + 1, now, last);
    return { do: 'give_up', index, key, failure: refusal ?? timedOut };
  }
  if (isSendable && now < deadline) return { do: 'send', index, submission };
  if (refusal !== null && state.status === 'submitted' && now < deadline) return revoke(index, submission, revocation);
  return wait(null, lastWordFrom(submission), now);
}

/** Others may have the bytes that were refused: something that moves nothing takes their place. */
function revoke(index: number, submission: Submission, revocation: Revocation | null): Step {
  return revocation === null ? { do: 'plan_revocation', index, submission } : { do: 'revoke', index, revocation };
}

/** Until then something may be sent for the present action. */
function lastInstant({ terms, turnAt }: OperationState): Instant {
  const least = turnAt === null ? terms.expiresAt : later(turnAt, sendingMinMs);
  return least > terms.expiresAt ? least : terms.expiresAt;
}

/** Where there is time, the bytes expire early enough for the provider's last word on them when the operation expires. */
function plan(index: number, attempt: number, now: Instant, last: Instant): Step {
  const early = later(last, -lastWordAfterMs);
  return { do: 'plan', index, attempt, latestDeadline: early > later(now, lastWordAfterMs) ? early : last };
}

/** When the provider's last word on what it has not taken is expected; null once it has taken it. */
function lastWordOn({ submission, providerReference }: CurrentAction): Instant | null {
  return submission === null || providerReference !== null ? null : lastWordFrom(submission);
}

function wait(until: Instant | null, noLaterThan: Instant | null, now: Instant): Wait {
  return { do: 'wait', until, noLaterThan: noLaterThan !== null && noLaterThan > now ? noLaterThan : null };
}

function later(instant: Instant, byMs: number): Instant {
  return instantOf(epochMsOf(instant) + byMs);
}
