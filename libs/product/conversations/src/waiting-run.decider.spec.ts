import type { ApprovalEvent } from '@app/consent';
import {
  asId,
  type ApprovalId,
  type Instant,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationEvent } from './conversation.events';
import type { RunRequest } from './run.schema';
import { pendingApprovals, waitingApproval } from './conversation.state';
import type { OpenApproval } from './run.decider';

const at = instant('2026-03-01T10:00Z');
const expiresAt = instant('2026-03-02T10:00Z');
const userId = asId<UserId>('ada');
const run = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const other = { runId: asId<RunId>('other'), runKey: asId<RunKey>('other-key') };
const request: RunRequest = { input: { text: 'withdraw' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16 };
const usage = { inputTokens: 2, outputTokens: 3, costCents: 1, estimated: false };
const [a, b] = [asId<ApprovalId>('a'), asId<ApprovalId>('b')];
const callOf = (approvalId: ApprovalId) => asId<ToolCallId>(`call-${approvalId}`);

const created: ConversationEvent = {
  ...{ type: 'conversation.created', at, userId, title: null, origin: 'conversation', automationId: null },
};
const started = (of: typeof run): ConversationEvent => ({
  ...{ type: 'run.started', at, ...of, userId, messageId: asId('m'), origin: 'user', automationId: null },
  ...{ occurrenceId: null, request, resolved },
});
const stepped: ConversationEvent = { type: 'agent.step', at, ...run, step: 1, usage, costMicroCents: 1_000_000 };
const called = (id: ApprovalId): ConversationEvent => ({
  ...{ type: 'tool.called', at, ...run, toolCallId: callOf(id), tool: 'intents_transfer', input: {} },
});
const asked = (approvalId: ApprovalId): OpenApproval => ({
  ...{ approvalId, kind: 'agent_tool', tool: 'intents_transfer', fingerprint: `sha256:${approvalId}`, expiresAt },
  ...{ walletId: null, toolCallId: callOf(approvalId), automationId: null, input: {}, contract: null, summary: '' },
  terms: [],
});
const opened = (id: ApprovalId): ApprovalEvent => ({ type: 'approval.opened', at, ...run, userId, ...asked(id) });
const suspended = (...approvalIds: ApprovalId[]): ConversationEvent => ({
  ...{ type: 'run.suspended', at, ...run, segment: 1, approvalIds, usage, userId, segmentCostCents: 1 },
});
const decided = (
  approvalId: ApprovalId,
  status: 'approved' | 'denied' = 'approved',
  denialReason: string | null = null,
): ConversationEvent => ({
  ...{ type: 'approval.decided', at, approvalId, status, decidedBy: 'user', denialReason, runKey: run.runKey },
});
const expired = (approvalId: ApprovalId, endedReason: 'timeout' | 'run_ended', when: Instant): ConversationEvent => ({
  ...{ type: 'approval.expired', at: when, approvalId, endedReason, runKey: run.runKey },
});
const resumed = (...approvalIds: ApprovalId[]): ConversationEvent => ({
  ...{ type: 'run.resumed', at, ...run, segment: 2, approvalIds },
});
const returned = (id: ApprovalId, when: Instant): ConversationEvent => ({
  ...{ type: 'tool.returned', at: when, ...run, toolCallId: callOf(id), outcome: 'expired' },
  result: { error: 'the approval ended before the call was made' },
});
const over = (status: 'failed' | 'aborted', when: Instant): ConversationEvent => ({
  ...{ type: 'run.ended', at: when, ...run, status, response: null, output: null, userId, usage },
  failure:
    status === 'failed' ? { reason: 'approval_expired', text: 'An approval expired before it was decided.' } : null,
  ...{ segment: 1, segmentCostCents: 1 },
});

const suspend: ConversationCommand = { type: 'SuspendRun', at, runId: run.runId, attempt: 1, approvals: [asked(a)] };
const approve = (approvalId: ApprovalId, more: { at?: Instant; holdsSlot?: boolean } = {}): ConversationCommand => ({
  ...{ type: 'DecideApproval', at, approvalId, verdict: { status: 'approved' }, decidedBy: 'user', holdsSlot: true },
  ...more,
});
const deny = (approvalId: ApprovalId): ConversationCommand => ({
  ...{ type: 'DecideApproval', at, approvalId, verdict: { status: 'denied', denialReason: 'no' } },
  ...{ decidedBy: 'user', holdsSlot: true },
});
const expire = (approvalId: ApprovalId, when: Instant): ConversationCommand => ({
  ...{ type: 'ExpireApproval', at: when, approvalId },
});

const conversation = specification(conversationDecider);
const running = [created, started(run), claimed(1, 1), stepped, called(a)];
function claimed(segment: number, attempt: number): ConversationEvent {
  return { type: 'run.claimed', at, ...run, segment, attempt };
}
const waiting = [...running, opened(a), suspended(a)];
const waitingForTwo = [...running, called(b), opened(a), opened(b), suspended(a, b)];

describe('a run that needs consent', () => {
  it('opens its approvals and waits, in one append', () => {
    conversation
      .given(...running)
      .when(suspend)
      .then(opened(a), suspended(a));
  });

  it('does not wait under a later claim, nor when it is to stop', () => {
    conversation
      .given(...running, claimed(1, 2))
      .when(suspend)
      .thenRefused('run_not_active');
    conversation
      .given(...running, { type: 'run.stopping', at, ...run })
      .when(suspend)
      .thenRefused('stop_pending');
  });

  it('holds neither the conversation nor a claim while it waits', () => {
    const { state } = conversation.given(...waiting);
    expect(state).toMatchObject({ liveRunId: null, openRuns: { run: { status: 'awaiting_approval' } } });
    expect([pendingApprovals(state), waitingApproval(state, a)?.resumes]).toEqual([1, true]);
    expect(waitingApproval(state, b)).toBeNull();
    conversation
      .given(...waiting)
      .when({ type: 'ClaimRun', at, runId: run.runId, segment: 1 })
      .thenRefused('run_not_active');
    conversation
      .given(...waiting)
      .when({ type: 'ArchiveConversation', at, userId })
      .thenRefused('run_active');
  });
});

describe('a decision', () => {
  it('resumes the run when none is left pending', () => {
    conversation
      .given(...waiting)
      .when(approve(a))
      .then(decided(a), resumed(a));
    conversation
      .given(...waiting)
      .when(deny(a))
      .then(decided(a, 'denied', 'no'), resumed(a));
    conversation
      .given(...waitingForTwo, decided(a))
      .when(approve(b))
      .then(decided(b), resumed(a, b));
  });

  it('stands alone while another is pending, whoever is live', () => {
    conversation
      .given(...waitingForTwo)
      .when(approve(a, { holdsSlot: false }))
      .then(decided(a));
    conversation
      .given(...waitingForTwo, started(other))
      .when(approve(a))
      .then(decided(a));
  });

  it('is made once', () => {
    conversation
      .given(...waitingForTwo, decided(a))
      .when(deny(a))
      .thenRefused('approval_not_pending');
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(approve(a))
      .thenRefused('approval_not_pending');
    conversation
      .given(...running)
      .when(approve(a))
      .thenRefused('approval_not_pending');
  });

  it('is not recorded when the run cannot go on', () => {
    conversation
      .given(...waiting)
      .when(approve(a, { holdsSlot: false }))
      .thenRefused('execution_capacity');
    conversation
      .given(...waiting, started(other))
      .when(approve(a))
      .thenRefused('run_active');
    const stopping: ConversationEvent = { type: 'run.stopping', at, ...other };
    conversation
      .given(...waiting, started(other), stopping)
      .when(deny(a))
      .thenRefused('stop_pending');
  });

  it('that comes too late records the expiry', () => {
    const events = [expired(a, 'timeout', expiresAt), returned(a, expiresAt), over('failed', expiresAt)];
    conversation
      .given(...waiting)
      .when(approve(a, { at: expiresAt }))
      .then(...events);
  });

  it('gives the run a new segment, without the costs of the one before', () => {
    const { state } = conversation.given(...waiting, decided(a), resumed(a));
    expect(state).toMatchObject({
      liveRunId: 'run',
      openRuns: { run: { status: 'queued', segment: 2, approvals: [] } },
    });
    const claim = { type: 'ClaimRun', at, runId: run.runId, segment: 2 } as const;
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(claim)
      .then(claimed(2, 2));
    const unreturned: ConversationEvent = {
      ...{ type: 'tool.returned', at, ...run, toolCallId: callOf(a), outcome: 'error' },
      result: { error: 'the run ended before the tool returned' },
    };
    const end = { status: 'completed', response: { text: '', truncated: false }, output: null, failure: null } as const;
    conversation
      .given(...waiting, decided(a), resumed(a), claimed(2, 2))
      .when({ type: 'EndRun', at, runId: run.runId, attempt: 2, end })
      .then(unreturned, { type: 'run.ended', at, ...run, ...end, userId, usage, segment: 2, segmentCostCents: 0 });
  });
});

describe('an approval that expires', () => {
  it('ends its run at once, and the other approvals with it, decided ones unused', () => {
    const late = instant('2026-03-02T10:00:01Z');
    conversation
      .given(...waiting)
      .when(expire(a, late))
      .thenOnce(...[expired(a, 'timeout', late), returned(a, late), over('failed', late)]);
    conversation
      .given(...waitingForTwo)
      .when(expire(b, late))
      .then(
        ...[expired(b, 'timeout', late), expired(a, 'run_ended', late), returned(a, late), returned(b, late)],
        over('failed', late),
      );
    conversation
      .given(...waitingForTwo, decided(a))
      .when(expire(b, late))
      .then(...[expired(b, 'timeout', late), returned(a, late), returned(b, late), over('failed', late)]);
  });

  it('does not before its time, nor once it is decided', () => {
    conversation
      .given(...waiting)
      .when(expire(a, at))
      .thenNothing();
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(expire(a, expiresAt))
      .thenNothing();
  });
});

describe('an abort of a waiting run', () => {
  const stop: ConversationCommand = { type: 'StopRun', at, runId: run.runId };

  it('ends it and its approvals', () => {
    conversation
      .given(...waitingForTwo, decided(a))
      .when(stop)
      .then(...[expired(b, 'run_ended', at), returned(a, at), returned(b, at), over('aborted', at)]);
  });

  it('is refused while another run is live', () => {
    conversation
      .given(...waiting, started(other))
      .when(stop)
      .thenRefused('run_not_active');
  });

  it('that was resumed and not claimed yet returns the call that is not made', () => {
    const cut: ConversationEvent = {
      ...{ type: 'tool.returned', at, ...run, toolCallId: callOf(a), outcome: 'error' },
      result: { error: 'the run ended before the tool returned' },
    };
    const ended = { ...over('aborted', at), segment: 2, segmentCostCents: 0 } as ConversationEvent; // reason: an end
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(stop)
      .then(cut, ended);
  });
});
