import type { ConsentWords, DecideApproval, ExpireApproval, FingerprintVersion } from '@app/consent';
import type {
  ApprovalId,
  ConversationId,
  InputId,
  Instant,
  OccurrenceId,
  OccurrenceTrigger,
  RunId,
  ToolCallId,
  UserId,
  WalletId,
  Words,
} from '@app/kernel';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { PassedOver } from './automation.events';
import type { Verdict } from '../condition/condition';
import type { TokenSymbols } from '../condition/token-symbols';

/** The commands of an automation's stream. A user's commands carry the user's id: another user's automation is not found. */
export type AutomationCommand =
  | CreateAutomation
  | UpdateAutomation
  | (ByOwner & { readonly type: 'PauseAutomation'; readonly revision: string })
  | (ByOwner & { readonly type: 'ResumeAutomation'; readonly revision: string; readonly epoch: string })
  | (ByOwner & { readonly type: 'ArchiveAutomation' })
  | { readonly type: 'HoldAutomation'; readonly at: Instant; readonly reason: string }
  | { readonly type: 'ReleaseAutomation'; readonly at: Instant; readonly reason: string }
  | (ByOwner & { readonly type: 'RotateWebhookKey'; readonly revision: string; readonly keyId: string })
  /** Records that it can never fire again; changes nothing when that is recorded already. */
  | {
      readonly type: 'CompleteAutomation';
      readonly at: Instant;
      readonly epoch: string;
      readonly because: 'end_at' | 'schedule_over';
    }
  | RecordMatch
  | PassOverInput
  | AdmissionCommand
  | { readonly type: 'FinishOccurrence'; readonly at: Instant; readonly occurrenceId: OccurrenceId }
  | UseContract
  | HoldContractUse
  | SettleContractUse
  | { readonly type: 'ReturnContractUse'; readonly at: Instant; readonly toolCallId: ToolCallId }
  | (DecideApproval & { readonly type: 'DecideApproval' })
  | (ExpireApproval & { readonly type: 'ExpireApproval' });

interface ByOwner {
  readonly at: Instant;
  readonly userId: UserId;
}

export interface CreateAutomation extends ByOwner {
  readonly type: 'CreateAutomation';
  readonly definition: AutomationDefinition;
  /** The provider's symbols of the tokens that the definition names. */
  readonly symbols: TokenSymbols;
  readonly epoch: string;
  /** The question to the user about the definition's contract; null exactly when it has none. */
  readonly review: ContractReview | null;
}

export interface UpdateAutomation extends ByOwner {
  readonly type: 'UpdateAutomation';
  readonly revision: string;
  readonly definition: AutomationDefinition;
  /** The provider's symbols of the tokens that the definition names. */
  readonly symbols: TokenSymbols;
  readonly epoch: string;
  /** Made for every definition with a contract; used only if the rule differs from the reviewed one. */
  readonly review: ContractReview | null;
}

/** An approval of kind `automation_contract`, ready to be opened. */
export interface ContractReview extends ConsentWords {
  readonly approvalId: ApprovalId;
  readonly automationId: string;
  readonly walletId: WalletId;
  readonly fingerprint: string;
  readonly fingerprintVersion: FingerprintVersion;
  readonly expiresAt: Instant;
}

/** The outcome of one evaluation of the rule, for a due time or an input; the firing policy decides what follows. */
export interface RecordMatch {
  readonly type: 'RecordMatch';
  /** The instant of the evaluation: the due time, or when the input was recorded. Cooldown and edges are measured by it. */
  readonly forAt: Instant;
  readonly at: Instant;
  /** A match of another epoch is not recorded. */
  readonly epoch: string;
  readonly occurrenceId: OccurrenceId;
  readonly trigger: OccurrenceTrigger;
  readonly dueAt: Instant | null;
  readonly input: { readonly inputId: InputId; readonly position: number } | null;
  /** `true` without a condition, and for an invocation, which also bypasses trigger and cooldown and always has an occurrence. */
  readonly verdict: Verdict;
  /** Set where it is too late to fire: the occurrence is rejected with these words. */
  readonly tooLate: Words | null;
  /**
   * The conversation and the run that it would get. If given, an occurrence that is first in turn begins its admission
   * in the same append.
   */
  readonly place?: { readonly conversationId: ConversationId; readonly runId: RunId } | null;
  /** Whether no due time follows; the automation is then completed. */
  readonly scheduleOver?: boolean;
}

/** Records that the rule does not evaluate an input; changes nothing when the input was handled before. */
export interface PassOverInput {
  readonly type: 'PassOverInput';
  readonly at: Instant;
  readonly inputId: InputId;
  /** The input's position in the store. */
  readonly position: number;
  readonly outcome: PassedOver;
}

export type AdmissionCommand =
  /** Begins the admission of the first in turn only; no events where it may not be admitted (yet), or is no longer active. */
  | (OfOccurrence & { readonly type: 'BeginAdmission'; readonly conversationId: ConversationId; readonly runId: RunId })
  | (OfOccurrence & {
      readonly type: 'AcceptOccurrence';
      readonly conversationId: ConversationId;
      readonly runId: RunId;
    })
  /** A `retryAt` beyond the occurrence's own limit rejects it. */
  | (OfOccurrence & { readonly type: 'DeferOccurrence'; readonly reason: Words; readonly retryAt: Instant })
  | (OfOccurrence & { readonly type: 'RejectOccurrence'; readonly reason: Words });

interface OfOccurrence {
  readonly at: Instant;
  readonly occurrenceId: OccurrenceId;
}

/** Rejected with `withdrawal_changed` where the approved contract does not cover it. */
export interface UseContract {
  readonly type: 'UseContract';
  readonly at: Instant;
  readonly toolCallId: ToolCallId;
  /** The run that makes the call. */
  readonly runId: RunId;
  /** The call's approval, which is opened and decided next. */
  readonly approvalId: ApprovalId;
  /** The contract that the call's actions were checked against: a newer one does not cover the call. */
  readonly contractApprovalId: ApprovalId;
  /** In US dollars, rounded up. */
  readonly usd: string;
}

/**
 * Announces the total amount that the use's operation is about to have moved. Rejected with `withdrawal_changed` where
 * the contract leaves less, is over, or does not know the use; with `automation_held` while the automation is paused.
 */
export interface HoldContractUse {
  readonly type: 'HoldContractUse';
  readonly at: Instant;
  readonly toolCallId: ToolCallId;
  /** In US dollars, rounded up. */
  readonly usd: string;
}

/** Records that the use's operation is over. */
export interface SettleContractUse {
  readonly type: 'SettleContractUse';
  readonly at: Instant;
  readonly toolCallId: ToolCallId;
  /** The amount that moved, in US dollars, rounded up; null where unknown: the amount counted so far then remains. */
  readonly usd: string | null;
}
