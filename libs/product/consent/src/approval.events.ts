import type { ApprovalId, Instant, JsonValue, RunId, RunKey, ToolCallId, UserId, WalletId } from '@app/kernel';
import type { Contract } from './contract';
import type { Term } from './terms';

/** The facts of an approval, in whichever stream can hold one: a conversation's (an agent's tool), an operation's (a direct withdrawal). */
export type ApprovalEvent =
  | {
      readonly type: 'approval.opened';
      readonly at: Instant;
      readonly approvalId: ApprovalId;
      readonly kind: ApprovalKind;
      readonly tool: string;
      readonly fingerprint: string;
      readonly runId: RunId | null;
      /** Bounds the decision, by the service clock of the deciding command. */
      readonly expiresAt: Instant;
      /** Private, from here on. */
      readonly userId: UserId;
      readonly runKey: RunKey | null;
      readonly walletId: WalletId | null;
      readonly toolCallId: ToolCallId | null;
      readonly automationId: string | null;
      /** The exact input that was reviewed, and the contract that it comes to. */
      readonly input: JsonValue;
      readonly contract: Contract | null;
      /** Plain whole sentences, rendered from the contract. */
      readonly summary: string;
      /** The same as a list; empty where there are none. Since version 2. */
      readonly terms: readonly Term[];
    }
  | {
      readonly type: 'approval.decided';
      readonly at: Instant;
      readonly approvalId: ApprovalId;
      readonly status: 'approved' | 'denied';
      readonly decidedBy: ApprovalDecider;
      readonly denialReason: string | null;
      /** Private. */
      readonly runKey: RunKey | null;
    }
  | {
      readonly type: 'approval.expired';
      readonly at: Instant;
      readonly approvalId: ApprovalId;
      readonly endedReason: ApprovalEnd;
      /** Private. */
      readonly runKey: RunKey | null;
    };

export type ApprovalKind = 'agent_tool' | 'withdrawal' | 'automation_contract';
export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
/** Who decided: the user, or a contract of an automation that covers the call. */
export const approvalDeciders = ['user', 'automation_contract'] as const;
export type ApprovalDecider = (typeof approvalDeciders)[number];
export type ApprovalEnd = 'timeout' | 'run_ended' | 'superseded';

/** Members that are kept in the events' metadata, because everything in a conversation's payloads is public. */
export const approvalPrivateMembers = {
  'approval.opened': [
    'userId',
    'runKey',
    'walletId',
    'toolCallId',
    'automationId',
    'input',
    'contract',
    'summary',
    'terms',
  ],
  'approval.decided': ['runKey'],
  'approval.expired': ['runKey'],
} as const;
