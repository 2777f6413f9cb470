import type { ApprovalId, Instant, JsonValue, RunId, RunKey, ToolCallId, UserId, WalletId, Words } from '@app/kernel';
import { clear, event, instant, internal, nullable, oneOf, personal, storedMembersOf, text, uuid } from '@app/schema';
import type { EventOf } from '@app/schema';
import type { Contract } from './contract';
import type { FingerprintVersion } from './fingerprint-version';
import type { Term } from './terms';

export const approvalKinds = ['agent_tool', 'withdrawal', 'automation_contract'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];
export const approvalStatuses = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
/** Deciders: the user, or a contract of an automation that covers the call. */
export const approvalDeciders = ['user', 'automation_contract'] as const;
export type ApprovalDecider = (typeof approvalDeciders)[number];
const approvalEnds = ['timeout', 'run_ended', 'superseded'] as const;
export type ApprovalEnd = (typeof approvalEnds)[number];

/** The ids of the one run in the examples of events. */
export const exampleIds = {
  run: '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01',
  approval: '019a3c61-0e27-7b5c-8f3d-4c6a9e1b2d05',
} as const;

const approvalId = clear(uuid<ApprovalId>());
const runKey = clear(internal<RunKey | null>());

const opened = event('approval.opened', 'A decision is asked for: fetch the approval and show it to the user.', {
  public: {
    approvalId,
    kind: clear(oneOf(approvalKinds)),
    tool: clear(text({ min: 1 })),
    fingerprint: clear(
      text({ pattern: /^sha256:[0-9a-f]{64}$/, description: 'Binds a decision to exactly what was reviewed' }),
    ),
    runId: clear(nullable(uuid<RunId>())),
    /** Compared with the service clock of the deciding command. */
    expiresAt: clear(instant<Instant>({ description: 'A decision comes before it' })),
  },
  private: {
    userId: clear(internal<UserId>()),
    runKey,
    walletId: clear(internal<WalletId | null>()),
    toolCallId: clear(internal<ToolCallId | null>()),
    automationId: clear(internal<string | null>()),
    /** The exact input that was reviewed, and the contract that it results in. */
    input: personal(internal<JsonValue>()),
    contract: clear(internal<Contract | null>()),
    /** Plain whole sentences, rendered from the contract. */
    summary: personal(internal<Words>()),
    /** The terms of the contract as a list; empty where there are none. Since version 2. */
    terms: personal(internal<readonly Term[]>()),
    /** Selects the members that the fingerprint covers. Since version 3. */
    fingerprintVersion: clear(internal<FingerprintVersion>()),
  },
  example: {
    approvalId: exampleIds.approval,
    kind: 'agent_tool',
    tool: 'intents_transfer',
    fingerprint: 'sha256:5c1d7b0f4e2a98637d1f0c3b5a6e8d9427b1c0f3e5a7d9b2846c1e0f3a5b7d92',
    runId: exampleIds.run,
    expiresAt: '2026-11-22T09:18:06.337Z',
  },
});

const decided = event('approval.decided', 'The approval was approved or denied.', {
  public: {
    approvalId,
    status: clear(oneOf(['approved', 'denied'])),
    decidedBy: clear(
      oneOf(approvalDeciders, {
        description: 'The user, or an approved contract of an automation that covers the call',
      }),
    ),
    denialReason: personal(nullable(text({ max: 1024 }))),
  },
  private: { runKey },
  example: { approvalId: exampleIds.approval, status: 'approved', decidedBy: 'user', denialReason: null },
});

const expired = event('approval.expired', 'The approval ended without a decision.', {
  public: { approvalId, endedReason: clear(oneOf(approvalEnds)) },
  private: { runKey },
  example: { approvalId: '019a3c65-2c11-7d4e-9f6a-1b8c7d5e4f0b', endedReason: 'timeout' },
});

/** The facts of an approval, in a stream of a conversation, an operation (a direct withdrawal) or an automation. */
export const approvalEvents = { opened, decided, expired };
export type ApprovalEvent = EventOf<(typeof approvalEvents)[keyof typeof approvalEvents]>;

/** Members that are stored in the events' metadata, because everything in a conversation's payloads is public, and those that are sealed. */
export const approvalMembers = storedMembersOf([opened, decided, expired]);
