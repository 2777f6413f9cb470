import { approvalMembers, type ApprovalDecider, type ApprovalEvent, type Contract } from '@app/consent';
import type { ApprovalId, ConversationId, Instant, MarksOf, RunId, UserId, WalletId } from '@app/kernel';
import type { Delivered, OperationFailure, Revocation, Submission } from '../provider/submission';

/**
 * The events of one financial operation, in stream `operation-<operationId>`. A direct withdrawal begins with
 * `operation.prepared` and `approval.opened`, and is used by `approval.decided` and `operation.confirmed` in one
 * append. An agent's transfer begins with `operation.used`; its stream's name derives from the approval, so that an
 * approval is used once.
 */
export type OperationEvent =
  | ApprovalEvent
  | (OperationTerms & { readonly type: 'operation.prepared'; readonly at: Instant })
  | (OperationTerms & { readonly type: 'operation.used'; readonly at: Instant })
  | { readonly type: 'operation.confirmed'; readonly at: Instant }
  /** The submission about to be sent, with its exact bytes and its own key, journaled before it is sent. */
  | (OfAction<'submission.journaled'> & JournaledSubmission)
  /** The provider has accepted it; from here on only the provider can say what happens to it. */
  | (OfAction<'submission.accepted'> & { readonly providerReference: string })
  /** The provider did not accept it this time. That is not final: until the bytes expire, anyone who has them may get them executed. */
  | (OfAction<'submission.refused'> & { readonly failure: OperationFailure })
  /** The bytes about to be sent so that the refused submission can never be executed, journaled before they are sent. */
  | (OfAction<'revocation.journaled'> & { readonly revocation: Revocation })
  /** `returned`: the unneeded part of the input, which was given back; null if the provider names nothing. */
  | (OfAction<'action.settled'> & Delivered)
  /** The input, or the remainder of it, was given back; `output` is what was delivered nevertheless. */
  | (OfAction<'action.refunded'> & Delivered)
  | (OfAction<'action.failed'> & { readonly failure: OperationFailure })
  | { readonly type: 'operation.settled'; readonly at: Instant }
  | { readonly type: 'operation.failed'; readonly at: Instant; readonly failure: OperationFailure }
  /** The provider cannot say what happened to a submission: nothing is sent again, and the provider is asked repeatedly. */
  | { readonly type: 'operation.unresolved'; readonly at: Instant };

/** The submission about to be sent, and its worth. */
export interface JournaledSubmission {
  readonly submission: Submission;
  /**
   * Worth of the input in US dollars, at the price used to choose its amount, rounded up, as decimal text. Null if the
   * provider had no price, and in events before version 3.
   */
  readonly worthUsd: string | null;
}

/** The limits of an operation, fixed when it begins. */
export interface OperationTerms {
  readonly kind: 'withdrawal' | 'agent_transfer';
  readonly userId: UserId;
  readonly walletId: WalletId;
  readonly approvalId: ApprovalId;
  readonly conversationId: ConversationId | null;
  readonly runId: RunId | null;
  readonly automationId: string | null;
  readonly contract: Contract;
  /** Where an automation's contract decided, each action must stay within what that contract has left when its amount is chosen. */
  readonly decidedBy: ApprovalDecider;
  /** The account that receives a withdrawal; null if the contract withdraws nothing. */
  readonly mainAccountId: string | null;
  /** Until then a submission that the provider never accepted may be sent again. */
  readonly expiresAt: Instant;
}

interface OfAction<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  /** Index of the contract's action, from 0. */
  readonly index: number;
}

const terms = {
  kind: 'clear',
  userId: 'clear',
  walletId: 'clear',
  approvalId: 'clear',
  conversationId: 'clear',
  runId: 'clear',
  automationId: 'clear',
  contract: 'clear',
  decidedBy: 'clear',
  mainAccountId: 'clear',
  expiresAt: 'clear',
} as const;
const delivered = { index: 'clear', output: 'clear', returned: 'clear' } as const;

/** An operation's stream is the books: apart from the approval in it, all of it is clear. */
export const operationMembers: MarksOf<OperationEvent> = {
  ...approvalMembers.members,
  'operation.prepared': terms,
  'operation.used': terms,
  'operation.confirmed': {},
  'submission.journaled': { index: 'clear', submission: 'clear', worthUsd: 'clear' },
  'submission.accepted': { index: 'clear', providerReference: 'clear' },
  'submission.refused': { index: 'clear', failure: 'clear' },
  'revocation.journaled': { index: 'clear', revocation: 'clear' },
  'action.settled': delivered,
  'action.refunded': delivered,
  'action.failed': { index: 'clear', failure: 'clear' },
  'operation.settled': {},
  'operation.failed': { failure: 'clear' },
  'operation.unresolved': {},
};
