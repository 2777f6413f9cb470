import { approvalPrivateMembers, type ApprovalDecider, type ApprovalEvent, type Contract } from '@app/consent';
import type { ApprovalId, ConversationId, Instant, RunId, UserId, WalletId, Words } from '@app/kernel';

/**
 * The facts of one financial operation, in stream `operation-<operationId>`. A direct withdrawal begins with `operation.prepared`
 * and `approval.opened`, and is used by `approval.decided` and `operation.confirmed` in one append; an agent's transfer begins with
 * `operation.used`, whose stream's name derives from the approval, so that an approval is used once.
 */
export type OperationEvent =
  | ApprovalEvent
  | (OperationTerms & { readonly type: 'operation.prepared'; readonly at: Instant })
  | (OperationTerms & { readonly type: 'operation.used'; readonly at: Instant })
  | { readonly type: 'operation.confirmed'; readonly at: Instant }
  /** What is about to be sent, with its exact bytes and its own key, journaled before it is sent. */
  | (OfAction<'submission.journaled'> & JournaledSubmission)
  /** The provider has taken it: from here on only the provider can say what becomes of it. */
  | (OfAction<'submission.accepted'> & { readonly providerReference: string })
  /** The provider did not take it this time. That is not final: until the bytes expire, anyone who has them may get them executed. */
  | (OfAction<'submission.refused'> & { readonly failure: OperationFailure })
  /** What is about to be sent so that the refused submission never can be executed, journaled before it is sent. */
  | (OfAction<'revocation.journaled'> & { readonly revocation: Revocation })
  /** `returned`: what of the input was not needed, and came back; null where the provider names nothing. */
  | (OfAction<'action.settled'> & Delivered)
  /** The input, or what was left of it, came back; `output` is what was delivered of it all the same. */
  | (OfAction<'action.refunded'> & Delivered)
  | (OfAction<'action.failed'> & { readonly failure: OperationFailure })
  | { readonly type: 'operation.settled'; readonly at: Instant }
  | { readonly type: 'operation.failed'; readonly at: Instant; readonly failure: OperationFailure }
  /** The provider cannot say what became of a submission: nothing is sent again, and it is asked again and again. */
  | { readonly type: 'operation.unresolved'; readonly at: Instant };

/** What is to be sent, and its worth. */
export interface JournaledSubmission {
  readonly submission: Submission;
  /**
   * Worth of the input in US dollars, by the price at which its amount was chosen, rounded up: a decimal text. Null where the provider
   * had no price, and in events of before version 3.
   */
  readonly worthUsd: string | null;
}

/** What an operation may do, fixed when it begins. */
export interface OperationTerms {
  readonly kind: 'withdrawal' | 'agent_transfer';
  readonly userId: UserId;
  readonly walletId: WalletId;
  readonly approvalId: ApprovalId;
  readonly conversationId: ConversationId | null;
  readonly runId: RunId | null;
  readonly automationId: string | null;
  readonly contract: Contract;
  /** Where it is an automation's contract, each action is held against what that leaves when its amount is chosen. */
  readonly decidedBy: ApprovalDecider;
  /** Where a withdrawal lands; null where the contract withdraws nothing. */
  readonly mainAccountId: string | null;
  /** Until then a submission that the provider never accepted may be sent again. */
  readonly expiresAt: Instant;
}

/** What the provider says of an action's end; null where it does not say. */
export interface Delivered {
  readonly output: TokenAmount | null;
  /** What is returned of the input, after the provider's fees. */
  readonly returned: TokenAmount | null;
}

interface OfAction<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  /** Index of the contract's action, from 0. */
  readonly index: number;
}

/** An amount in the token's smallest unit: decimal digits without leading zeros. */
export interface TokenAmount {
  readonly tokenId: string;
  readonly amountRaw: string;
}

/** What is sent to the provider for one action: the same bytes however often, with at most one effect. */
export interface Submission {
  /** Its permanent name at the provider: `<operationId>/<action index>/<attempt>`. */
  readonly key: string;
  /** From 1; signed again only after the deadline has passed and the provider says that it never took the one before. */
  readonly attempt: number;
  /** Opaque to all but the provider that made it. */
  readonly bytes: string;
  readonly input: TokenAmount;
  /** What a swap is expected to deliver. */
  readonly output: TokenAmount | null;
  /** What a swap delivers at the least; for less it is given back. Null where the provider promises nothing. */
  readonly leastOutput: TokenAmount | null;
  /** What the provider answered when it was asked for a price, to the letter, with its signature: what settles disputes. */
  readonly quote: string | null;
  /** After this instant the provider does not take it any more. */
  readonly deadline: Instant;
}

/** What takes a submission's place at the provider: of the two, one at most is ever executed. */
export interface Revocation {
  /** The key of the submission that it replaces. */
  readonly key: string;
  /** Opaque to all but the provider that made it. */
  readonly bytes: string;
}

export const operationFailureReasons = [
  'insufficient_balance',
  'quote_expired',
  'provider_rejected',
  'refunded',
  'timed_out',
  'bounds_exceeded',
] as const;
export type OperationFailureReason = (typeof operationFailureReasons)[number];

export interface OperationFailure {
  readonly reason: OperationFailureReason;
  readonly text: Words;
}

/** Only operators read an operation's stream; private members of an approval stay in the metadata here as well. */
export const operationPrivateMembers = approvalPrivateMembers;
