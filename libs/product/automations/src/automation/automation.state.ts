import type { ApprovalState } from '@app/consent';
import type {
  ApprovalId,
  ConversationId,
  Instant,
  OccurrenceId,
  OccurrenceTrigger,
  RunId,
  ToolCallId,
  UserId,
} from '@app/kernel';
import type { StoredDefinition } from '../definition/automation-definition';
import type { TokenSymbols } from '../condition/token-symbols';

/** An automation, folded from its stream; null until it is created. */
export type AutomationState = Automation | null;

export interface Automation {
  readonly userId: UserId;
  readonly definition: StoredDefinition;
  /** The provider's symbols of the tokens that the definition names. */
  readonly symbols: TokenSymbols;
  readonly definitionVersion: number;
  /** The present activation; together with the version it is the revision. */
  readonly epoch: string;
  /** The epoch's first instant: the anchor of `every`. */
  readonly epochAt: Instant;
  readonly state: 'enabled' | 'paused' | 'archived';
  readonly held: boolean;
  /** Completed for good. */
  readonly completed: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly archivedAt: Instant | null;
  readonly webhookKeyId: string | null;
  readonly memory: FiringMemory;
  /** Accepted occurrences, over all versions. */
  readonly occurrences: number;
  /** Pending, deferred, or accepted with a run not ended; oldest first. */
  readonly active: readonly ActiveOccurrence[];
  /** The approval of the present rule's contract; null when the rule has no contract, or its approval was not opened yet. */
  readonly contractApproval: ApprovalState | null;
  /** Uses of the present contract, by tool call. */
  readonly uses: { readonly [toolCallId: ToolCallId]: ContractUse };
}

/** The memory of the firing policy; each epoch resets all but the positions. */
export interface FiringMemory {
  /** The last verdict that was `true` or `false`. */
  readonly lastKnown: boolean | null;
  /** The last verdict that was recorded. */
  readonly lastVerdict: 'true' | 'false' | 'unknown' | null;
  /** The `forAt` of the last accepted occurrence: cooldown counts from it. */
  readonly lastAcceptedFor: Instant | null;
  readonly lastDueAt: Instant | null;
  /** Position of the last signal or webhook event that was handled, in any epoch. */
  readonly lastInputPosition: number;
  /** Positions of the last invocations, in any epoch, ascending; without those up to the last handled input. */
  readonly invokedPositions: readonly number[];
  /** Invocations up to this position are no longer remembered individually: all had their occurrence. */
  readonly invokedUpTo: number;
}

export interface ActiveOccurrence {
  readonly occurrenceId: OccurrenceId;
  readonly epoch: string;
  readonly delivery: 'pending' | 'admitting' | 'deferred' | 'accepted';
  readonly trigger: OccurrenceTrigger;
  readonly forAt: Instant;
  /** The approval of the rule's contract when the occurrence arose: only that approval's authority covers it. */
  readonly contractApprovalId: ApprovalId | null;
  readonly attempts: number;
  readonly retryAt: Instant | null;
  /** Set since its admission began, like the next two. */
  readonly retryUntil: Instant | null;
  readonly conversationId: ConversationId | null;
  readonly runId: RunId | null;
}

export interface ContractUse {
  readonly approvalId: ApprovalId;
  /** The amount that it may move or, once it is over, has moved, in US dollars: a decimal text. */
  readonly usd: string;
  /** Null where an event of version 1 recorded it. */
  readonly occurrence: OccurrenceId | null;
  /** Its operation is over. */
  readonly over: boolean;
}

/** `<definitionVersion>.<activationEpoch>` (specification, "Automation"). */
export function revisionOf({ definitionVersion, epoch }: Pick<Automation, 'definitionVersion' | 'epoch'>): string {
  return `${definitionVersion}.${epoch}`;
}
