import { epochMsOf, instantOf, words, type Instant } from '@app/kernel';
import type { OperationFailure, Revocation, Submission } from '../provider/submission';
import { currentAction, type CurrentAction, type OperationState } from '../operation/operation.state';

/** Time from a deadline to the provider's final answer, which then knows about everything that was in flight. */
const lastWordAfterMs = 30_000;
/** Minimum time for sending an action whose turn is late, after a slow one or a confirmation in the last second. */
const sendingMinMs = 60_000;

/** Knowledge of a driver beyond what the stream says. After a crash it has none, so it asks first. */
export type Learned =
  | { readonly kind: 'nothing' }
  /** This driver has just journaled the submission itself. */
  | { readonly kind: 'journaled'; readonly key: string }
  /** This driver has just journaled the revocation of the submission itself. */
  | { readonly kind: 'revocation_journaled'; readonly key: string }
  /** The provider has not accepted the submission; `isFinal`: it is proven that it never will. */
  | { readonly kind: 'never_accepted'; readonly key: string; readonly isFinal: boolean }
  /** Nothing more can be done before that instant; null when it is unknown. */
  | { readonly kind: 'wait'; readonly until: Instant | null };

/** The next step of an operation. */
export type Step =
  /** Not used yet, or over. */
  | { readonly do: 'nothing' }
  | { readonly do: 'plan'; readonly index: number; readonly attempt: number; readonly latestDeadline: Instant }
  | { readonly do: 'send'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'ask'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'plan_revocation'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'revoke'; readonly index: number; readonly revocation: Revocation }
  | { readonly do: 'give_up'; readonly index: number; readonly key: string | null; readonly failure: OperationFailure }
  /** The provider had accepted it, and nevertheless never executed it. */
  | { readonly do: 'fail'; readonly index: number; readonly key: string; readonly failure: OperationFailure }
  | Wait;

/** Nothing to do before `until`, if that is known; at the latest at `noLaterThan` something else can be done. */
export interface Wait {
  readonly do: 'wait';
  readonly until: Instant | null;
  readonly noLaterThan: Instant | null;
}

/**
 * The process of an operation: the next step, from its stream and what this driver has learned.
 *
 * The rules (docs/decisions/money.md): bytes are journaled before they are sent. A driver that did not just journal
 * them asks what happened to them before it sends them. The same bytes are sent again only while the provider says that
 * it has not accepted them, has not refused them, and their deadline has not passed. New bytes, and the end of the
 * action, need proof that the old ones never will be executed. A refusal proves nothing, because others may have the
 * bytes: they are revoked if the provider can, with bytes that are journaled and sent like a submission's. New bytes
 * are sent only before the operation expires, and never once the provider has accepted the old ones or could not say.
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

/** From then on the provider's final answer is expected. */
function lastWordFrom({ deadline }: Submission): Instant {
  return later(deadline, lastWordAfterMs);
}

/** The next step after the provider says that it has not accepted the last journaled submission. */
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

/** Others may have the refused bytes, so a revocation that moves nothing replaces them. */
function revoke(index: number, submission: Submission, revocation: Revocation | null): Step {
  return revocation === null ? { do: 'plan_revocation', index, submission } : { do: 'revoke', index, revocation };
}

/** The latest instant at which something may be sent for the current action. */
function lastInstant({ terms, turnAt }: OperationState): Instant {
  const least = turnAt === null ? terms.expiresAt : later(turnAt, sendingMinMs);
  return least > terms.expiresAt ? least : terms.expiresAt;
}

/** If there is time, the bytes expire early enough for the provider's final answer before the operation expires. */
function plan(index: number, attempt: number, now: Instant, last: Instant): Step {
  const early = later(last, -lastWordAfterMs);
  return { do: 'plan', index, attempt, latestDeadline: early > later(now, lastWordAfterMs) ? early : last };
}

/** When the provider's final answer on an unaccepted submission is expected; null once it is accepted. */
function lastWordOn({ submission, providerReference }: CurrentAction): Instant | null {
  return submission === null || providerReference !== null ? null : lastWordFrom(submission);
}

function wait(until: Instant | null, noLaterThan: Instant | null, now: Instant): Wait {
  return { do: 'wait', until, noLaterThan: noLaterThan !== null && noLaterThan > now ? noLaterThan : null };
}

function later(instant: Instant, byMs: number): Instant {
  return instantOf(epochMsOf(instant) + byMs);
}
