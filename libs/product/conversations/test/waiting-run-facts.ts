import type { ApprovalEvent } from '@app/consent';
import {
  words,
  asId,
  type ApprovalId,
  type Instant,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { conversationDecider, type ConversationCommand } from '../src/conversation.decider';
import type { ConversationEvent } from '../src/conversation.events';
import { type RunRequest, untuned } from '../src/run/run.schema';
import type { OpenApproval } from '../src/run/run.decider';

/** The facts of a run that waits for approvals, for its specs. */
export const at = instant('2026-03-01T10:00Z');
export const expiresAt = instant('2026-03-02T10:00Z');
export const userId = asId<UserId>('ada');
export const run = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
export const other = { runId: asId<RunId>('other'), runKey: asId<RunKey>('other-key') };
const request: RunRequest = { input: { text: 'withdraw' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
export const usage = { inputTokens: 2, cachedInputTokens: 0, outputTokens: 3, costCents: 1, estimated: false };
export const [a, b] = [asId<ApprovalId>('a'), asId<ApprovalId>('b')];
export const callOf = (approvalId: ApprovalId) => asId<ToolCallId>(`call-${approvalId}`);

const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: null,
  origin: 'conversation',
  automationId: null,
};
export const started = (of: typeof run): ConversationEvent => ({
  type: 'run.started',
  at,
  ...of,
  userId,
  messageId: asId('m'),
  origin: 'user',
  automationId: null,
  occurrenceId: null,
  request,
  resolved,
  agentInstructions: null,
  holder: null,
  queuedAt: null,
});
const stepped: ConversationEvent = {
  type: 'agent.step',
  at,
  ...run,
  step: 1,
  model: 'scripted',
  usage,
  costMicroCents: 1_000_000,
  heard: 0,
};
const called = (id: ApprovalId): ConversationEvent => ({
  type: 'tool.called',
  at,
  ...run,
  toolCallId: callOf(id),
  tool: 'intents_transfer',
  input: {},
});
const asked = (approvalId: ApprovalId): OpenApproval => ({
  approvalId,
  kind: 'agent_tool',
  tool: 'intents_transfer',
  fingerprint: `sha256:${approvalId}`,
  fingerprintVersion: 2,
  expiresAt,
  walletId: null,
  toolCallId: callOf(approvalId),
  automationId: null,
  input: {},
  contract: null,
  summary: words``,
  terms: [],
});
export const opened = (id: ApprovalId): ApprovalEvent => ({
  type: 'approval.opened',
  at,
  ...run,
  userId,
  ...asked(id),
});
export const suspended = (...approvalIds: ApprovalId[]): ConversationEvent => ({
  type: 'run.suspended',
  at,
  ...run,
  segment: 1,
  approvalIds,
  usage,
  userId,
  segmentCostCents: 1,
});
export const decided = (
  approvalId: ApprovalId,
  status: 'approved' | 'denied' = 'approved',
  denialReason: string | null = null,
): ConversationEvent => ({
  type: 'approval.decided',
  at,
  approvalId,
  status,
  decidedBy: 'user',
  denialReason,
  runKey: run.runKey,
});
export const expired = (
  approvalId: ApprovalId,
  endedReason: 'timeout' | 'run_ended',
  when: Instant,
): ConversationEvent => ({
  type: 'approval.expired',
  at: when,
  approvalId,
  endedReason,
  runKey: run.runKey,
});
export const resumed = (...approvalIds: ApprovalId[]): Extract<ConversationEvent, { type: 'run.resumed' }> => ({
  type: 'run.resumed',
  at,
  ...run,
  segment: 2,
  approvalIds,
  holder: null,
});
export const returned = (id: ApprovalId, when: Instant): ConversationEvent => ({
  type: 'tool.returned',
  at: when,
  ...run,
  toolCallId: callOf(id),
  outcome: 'expired',
  result: { error: 'the approval ended before the call was made' },
});
export const denied = (id: ApprovalId): ConversationEvent => ({
  type: 'tool.returned',
  at,
  ...run,
  toolCallId: callOf(id),
  outcome: 'denied',
  result: { reason: 'no' },
});
export const over = (status: 'failed' | 'aborted', when: Instant): ConversationEvent => ({
  type: 'run.ended',
  at: when,
  ...run,
  status,
  response: null,
  output: null,
  userId,
  usage,
  failure:
    status === 'failed' ? { reason: 'approval_expired', text: 'An approval expired before it was decided.' } : null,
  segment: 1,
  segmentCostCents: 1,
});

export const suspend: ConversationCommand = {
  type: 'SuspendRun',
  at,
  runId: run.runId,
  attempt: 1,
  approvals: [asked(a)],
};
type Slot = Extract<ConversationCommand, { type: 'DecideApproval' }>['slot'];

export const approve = (approvalId: ApprovalId, more: { at?: Instant; slot?: Slot } = {}): ConversationCommand => ({
  type: 'DecideApproval',
  at,
  approvalId,
  verdict: { status: 'approved' },
  decidedBy: 'user',
  slot: { holder: null },
  ...more,
});
export const deny = (approvalId: ApprovalId): ConversationCommand => ({
  type: 'DecideApproval',
  at,
  approvalId,
  verdict: { status: 'denied', denialReason: 'no' },
  decidedBy: 'user',
  slot: { holder: null },
});
export const expire = (approvalId: ApprovalId, when: Instant): ConversationCommand => ({
  type: 'ExpireApproval',
  at: when,
  approvalId,
});

export const conversation = specification(conversationDecider);
export const running = [created, started(run), claimed(1, 1), stepped, called(a)];
export function claimed(segment: number, attempt: number): ConversationEvent {
  return { type: 'run.claimed', at, ...run, segment, attempt };
}
export const waiting = [...running, opened(a), suspended(a)];
export const waitingForTwo = [...running, called(b), opened(a), opened(b), suspended(a, b)];
