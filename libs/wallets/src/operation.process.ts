import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import type { OperationFailure, Submission } from './operation.events';
import { currentAction, type CurrentAction, type OperationState } from './operation.state';

/**
 * How long after a submission's deadline the provider's "never accepted" is believed: what was on its way at the deadline has arrived
 * by then, and a provider that is slow to know its own submissions knows them.
 */
const believedAfterMs = 30_000;
/** An action whose turn comes late, after a slow one or by a confirmation in the last second, still has this long to be sent. */
const sendingMinMs = 60_000;

/** What a driver has learned since it began that the stream does not say. After a crash it knows nothing, and so asks first. */
export type Learned =
  | { readonly kind: 'nothing' }
  /** It has journaled the submission itself, a moment ago. */
  | { readonly kind: 'journaled'; readonly key: string }
  /** The provider was asked at that instant, and had not taken the submission. */
  | { readonly kind: 'never_accepted'; readonly key: string; readonly askedAt: Instant }
  /** Nothing more can be done before that instant; null: nobody knows how long. */
  | { readonly kind: 'wait'; readonly until: Instant | null };

/** What is to be done next for an operation. */
export type Step =
  /** Not used yet, or over. */
  | { readonly do: 'nothing' }
  | { readonly do: 'plan'; readonly index: number; readonly attempt: number; readonly latestDeadline: Instant }
  | { readonly do: 'send' | 'ask'; readonly index: number; readonly submission: Submission }
  | { readonly do: 'give_up'; readonly index: number; readonly key: string | null; readonly failure: OperationFailure }
  | { readonly do: 'record_unresolved'; readonly index: number; readonly key: string }
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
 * what became of them before it sends them. The same bytes go out again only while the provider says that it has not taken them and
 * their deadline has not passed; new bytes only once it is certain that the old ones never will be taken, and before the operation
 * expires; nothing at all once the provider has taken them or could not say.
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
  if (learned.kind !== 'never_accepted' || learned.key !== submission.key) return { do: 'ask', index, submission };
  return afterNeverAccepted(state, { ...action, submission }, now, learned.askedAt);
}

const timedOut: OperationFailure = { reason: 'timed_out', text: 'The provider did not take it in time.' };

/** From then on, a provider that says that it never took the submission is believed. */
function believedFrom({ deadline }: Submission): Instant {
  return later(deadline, believedAfterMs);
}

/** The provider says that it has not taken what was journaled last. */
function afterNeverAccepted(
  state: OperationState,
  action: CurrentAction & { readonly submission: Submission },
  now: Instant,
  askedAt: Instant,
): Step {
  const { index, submission, providerReference } = action;
  const { status } = state;
  const { key } = submission;
  if (providerReference !== null) {
    // It had said otherwise. Only an outcome ends this.
    return status === 'unresolved' ? wait(null, null, now) : { do: 'record_unresolved', index, key };
  }
  if (askedAt >= believedFrom(submission)) {
    const last = lastInstant(state);
    if (status === 'submitted' && now < last) return plan(index, submission.attempt + 1, now, last);
    return { do: 'give_up', index, key, failure: timedOut };
  }
  if (status === 'submitted' && now < submission.deadline) return { do: 'send', index, submission };
  return now < believedFrom(submission) ? wait(believedFrom(submission), null, now) : { do: 'ask', index, submission };
}

/** Until then something may be sent for the present action. */
function lastInstant({ terms, turnAt }: OperationState): Instant {
  const least = turnAt === null ? terms.expiresAt : later(turnAt, sendingMinMs);
  return least > terms.expiresAt ? least : terms.expiresAt;
}

/** Where there is time, the bytes expire early enough for the provider's last word on them to be believed when the operation expires. */
function plan(index: number, attempt: number, now: Instant, last: Instant): Step {
  const early = later(last, -believedAfterMs);
  return { do: 'plan', index, attempt, latestDeadline: early > later(now, believedAfterMs) ? early : last };
}

/** When the provider's word on an action that it has not taken yet begins to count; null once it has taken it. */
function lastWordOn({ submission, providerReference }: CurrentAction): Instant | null {
  return submission === null || providerReference !== null ? null : believedFrom(submission);
}

function wait(until: Instant | null, noLaterThan: Instant | null, now: Instant): Wait {
  return { do: 'wait', until, noLaterThan: noLaterThan !== null && noLaterThan > now ? noLaterThan : null };
}

function later(instant: Instant, byMs: number): Instant {
  return instantOf(epochMsOf(instant) + byMs);
}
