import { conversationKind, type ConversationEvent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import { applyFold, type Folds } from '@app/kernel';
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
    return row === null ? null : applyFold(folds, row, event);
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

/** What the events of a run that is there do to its row. */
const folds: Folds<RunRow, RunEvent> = {
  'run.claimed': (row, event) => ({
    ...row,
    status: row.status === 'queued' ? 'running' : row.status,
    segment: event.segment,
    startedAt: row.startedAt ?? event.at,
  }),
  'run.suspended': (row, event) => ({ ...row, status: 'awaiting_approval', pendingApprovalIds: event.approvalIds }),
  'run.resumed': (row, event) => ({ ...row, status: 'queued', segment: event.segment }),
  'approval.decided': withoutPending,
  'approval.expired': withoutPending,
  'run.stopping': (row) => ({ ...row, status: 'stopping' }),
  'agent.step': (row, { usage }) => ({
    ...row,
    inputTokens: row.inputTokens + usage.inputTokens,
    outputTokens: row.outputTokens + usage.outputTokens,
    costCents: row.costCents + usage.costCents,
    usageEstimated: row.usageEstimated || usage.estimated,
  }),
  'run.ended': (row, { status, response, output, failure, usage, at }) => {
    const { estimated: usageEstimated, ...used } = usage;
    return { ...row, status, response, output, failure, ...used, usageEstimated, endedAt: at };
  },
};

function withoutPending(row: RunRow, { approvalId }: { readonly approvalId: string }): RunRow {
  return { ...row, pendingApprovalIds: row.pendingApprovalIds.filter((id) => id !== approvalId) };
}
