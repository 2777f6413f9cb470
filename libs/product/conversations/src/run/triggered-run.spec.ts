import {
  words,
  asId,
  type ApprovalId,
  type MessageId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { conversationDecider, type TriggerRun } from '../conversation.decider';
import type { ConversationEvent } from '../conversation.events';
import { type RunRequest, untuned } from './run.schema';
import type { AuthorizeCalls, OpenApproval } from './run.decider';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('ada');
const runIds = { runId: asId<RunId>('run'), runKey: asId<RunKey>('key') };
const { runId } = runIds;
const messageId = asId<MessageId>('message');
const request: RunRequest = { input: { text: 'swap' } };
const resolved = { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned };
const ofAutomation = { automationId: 'automation', occurrenceId: 'occurrence' };

const trigger: TriggerRun = {
  type: 'TriggerRun',
  at,
  title: 'Dip',
  ...ofAutomation,
  trigger: 'schedule',
  run: { ...runIds, userId, messageId, request, resolved, agentInstructions: null, holder: null },
};
const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: 'Dip',
  origin: 'automation',
  automationId: 'automation',
};
const triggered: ConversationEvent = { type: 'automation.triggered', at, ...ofAutomation, trigger: 'schedule' };
const started: ConversationEvent = {
  type: 'run.started',
  at,
  ...runIds,
  userId,
  messageId,
  origin: 'automation',
  ...ofAutomation,
  request,
  resolved,
  agentInstructions: null,
  holder: null,
  queuedAt: null,
};
const archived: ConversationEvent = { type: 'conversation.archived', at };
const claimed: ConversationEvent = { type: 'run.claimed', at, ...runIds, segment: 1, attempt: 1 };

const { given, when } = specification(conversationDecider);

describe('an occurrence of an automation', () => {
  it('begins its conversation and its run in one append, once', () =>
    when(trigger).thenOnce(created, triggered, started));

  it('goes on in the conversation that it shares with others', () => {
    const other = { runId: asId<RunId>('other'), runKey: asId<RunKey>('other-key') };
    const otherTrigger: TriggerRun = { ...trigger, run: { ...trigger.run, ...other } };
    given(created)
      .when(otherTrigger)
      .thenOnce(triggered, { ...started, ...other });
  });

  it('waits for the run that is live there', () => {
    const other: TriggerRun = { ...trigger, run: { ...trigger.run, runId: asId('other'), runKey: asId('other-key') } };
    given(created, triggered, started).when(other).thenRefused('run_active');
  });

  it('finds no conversation that is archived, or that is another user’s', () => {
    given(created, archived).when(trigger).thenRefused('not_found');
    given({ ...created, userId: asId('eve') })
      .when(trigger)
      .thenRefused('not_found');
  });
});

describe('calls that the automation’s contract covers', () => {
  const toolCallId = asId<ToolCallId>('run/1/0');
  const approvalId = asId<ApprovalId>('approval');
  const approval: OpenApproval = {
    approvalId,
    kind: 'agent_tool',
    tool: 'intents_transfer',
    fingerprint: 'sha256:00',
    fingerprintVersion: 2,
    expiresAt: at,
    walletId: null,
    toolCallId,
    automationId: 'automation',
    input: {},
    contract: null,
    summary: words`Swap.`,
    terms: [],
  };
  const called: ConversationEvent = {
    type: 'tool.called',
    at,
    ...runIds,
    toolCallId,
    tool: 'intents_transfer',
    input: {},
  };
  const authorize: AuthorizeCalls = { type: 'AuthorizeCalls', at, runId, attempt: 1, approvals: [approval] };
  const opened: ConversationEvent = { type: 'approval.opened', at, ...runIds, userId, ...approval };
  const decided: ConversationEvent = {
    type: 'approval.decided',
    at,
    approvalId,
    status: 'approved',
    decidedBy: 'automation_contract',
    denialReason: null,
    runKey: runIds.runKey,
  };
  const running = [created, triggered, started, claimed, called] as const;

  it('are approved in the append that asks, and the run goes on', () =>
    given(...running)
      .when(authorize)
      .thenOnce(opened, decided));

  it('are not approved once they have returned', () =>
    given(...running, { type: 'tool.returned', at, ...runIds, toolCallId, outcome: 'error', result: null })
      .when(authorize)
      .thenNothing());

  it('are not approved for a worker that was fenced, nor in a run that is to stop', () => {
    given(...running)
      .when({ ...authorize, attempt: 0 })
      .thenRefused('run_not_active');
    given(...running, { type: 'run.stopping', at, ...runIds })
      .when(authorize)
      .thenRefused('stop_pending');
  });

  it('are nothing that the run waits for, when it then asks for another', () => {
    const [asked, otherCall] = [asId<ApprovalId>('asked'), asId<ToolCallId>('run/1/1')];
    const calledBeside: ConversationEvent = { ...called, toolCallId: otherCall };
    const openedBeside: ConversationEvent = { ...opened, approvalId: asked, toolCallId: otherCall };
    const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costCents: 0, estimated: false };
    const suspended: ConversationEvent = {
      type: 'run.suspended',
      at,
      ...runIds,
      segment: 1,
      approvalIds: [asked],
      usage,
      userId,
      segmentCostCents: 0,
    };
    const returned: ConversationEvent = {
      type: 'tool.returned',
      at,
      ...runIds,
      toolCallId,
      outcome: 'ok',
      result: null,
    };
    const before = instant('2026-03-01T09:59Z');
    const verdict = { status: 'approved' } as const;
    given(...running, calledBeside, opened, decided, returned, openedBeside, suspended)
      .when({
        type: 'DecideApproval',
        at: before,
        approvalId: asked,
        verdict,
        decidedBy: 'user',
        slot: { holder: null },
      })
      .then(
        { ...decided, at: before, approvalId: asked, decidedBy: 'user' },
        { type: 'run.resumed', at: before, ...runIds, segment: 2, approvalIds: [asked], holder: null },
      );
  });
});
