import { conversationKind, type ConversationEvent, type Usage } from '@app/conversations';
import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import type { Projection } from '@app/read-store';
import { workChannel } from './run-leases';
import { RunRow } from './run.row';

type RunEvent = Extract<ConversationEvent, { readonly runKey: unknown }>;

/** Table `runs`. */
export const runsProjection: Projection<RunRow, ConversationEvent> = {
  name: 'runs',
  version: 4,
  row: RunRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => ('runKey' in event ? event.runKey : null),
  project: (row, { event, stream, revision, position }) => {
    if (!('runKey' in event)) return row;
    if (event.type === 'run.started') {
      return {
        ...openRow(event),
        ...{ conversationId: idInStream(conversationKind, stream) ?? '' },
        ...placeOf(revision, position),
      };
    }
    return row === null ? null : applyEvent(row, event);
  },
  announces: ({ event }) => (event.type === 'run.started' || event.type === 'run.resumed' ? workChannel : null),
  counters: (row) => [row.userId, `${row.userId}/${row.conversationId}`],
};

function placeOf(revision: number, position: number) {
  return { startedSeq: revision + 1, openedPosition: position, position };
}

function openRow(event: Extract<RunEvent, { type: 'run.started' }>) {
  return {
    runKey: event.runKey,
    id: event.runId,
    userId: event.userId,
    origin: event.origin,
    automationId: event.automationId,
    occurrenceId: event.occurrenceId,
    request: event.request,
    resolved: event.resolved,
    response: null,
    output: null,
    status: 'queued' as const,
    segment: 1,
    pendingApprovalIds: [],
    inputTokens: 0,
    outputTokens: 0,
    costCents: 0,
    usageEstimated: false,
    failure: null,
    createdAt: event.at,
    startedAt: null,
    endedAt: null,
  };
}

function applyStep(row: RunRow, usage: Usage): RunRow {
  return {
    ...row,
    inputTokens: row.inputTokens + usage.inputTokens,
    outputTokens: row.outputTokens + usage.outputTokens,
    costCents: row.costCents + usage.costCents,
    usageEstimated: row.usageEstimated || usage.estimated,
  };
}

function applyEvent(row: RunRow, event: Exclude<RunEvent, { type: 'run.started' }>): RunRow {
  switch (event.type) {
    case 'run.claimed':
      return {
        ...row,
        status: row.status === 'queued' ? 'running' : row.status,
        segment: event.segment,
        startedAt: row.startedAt ?? event.at,
      };
    case 'run.suspended':
      return { ...row, status: 'awaiting_approval', pendingApprovalIds: event.approvalIds };
    case 'run.resumed':
      return { ...row, status: 'queued', segment: event.segment };
    case 'approval.decided':
    case 'approval.expired': {
      const pendingApprovalIds = row.pendingApprovalIds.filter((id) => id !== event.approvalId);
      return { ...row, pendingApprovalIds };
    }
    case 'run.stopping':
      return { ...row, status: 'stopping' };
    case 'agent.step':
      return applyStep(row, event.usage);
    case 'run.ended': {
      const { status, response, output, failure, usage } = event;
      const { estimated: usageEstimated, ...used } = usage;
      return { ...row, status, response, output, failure, ...used, usageEstimated, endedAt: event.at };
    }
    case 'agent.message':
    case 'tool.called':
    case 'tool.returned':
    case 'approval.opened':
      return row;
    default:
      return unreachable(event);
  }
}
