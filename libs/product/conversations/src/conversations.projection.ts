import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import type { ConversationEvent } from './conversation.events';
import type { RunRequest } from './run.schema';
import { ConversationRow, MessageRow } from './conversation.row';
import { conversationKind } from './conversation.stream';

/** Whether something runs or waits for the user there (docs/decisions/artifacts-and-activity.md, "ConversationActivityItem"). */
function isActive(row: Pick<ConversationRow, 'liveRunId' | 'pendingApprovals'>): boolean {
  return row.liveRunId !== null || row.pendingApprovals > 0;
}

/** Name of the counter for one combination of what conversations are listed by. */
export function listedAs(userId: string, origin: string, archived: boolean, active: boolean): string {
  return `${userId}/${origin}/${archived ? 'archived' : 'present'}/${active ? 'active' : 'resting'}`;
}

/** Table `conversations`. */
export const conversationsProjection: Projection<ConversationRow, ConversationEvent> = {
  name: 'conversations',
  version: 2,
  row: ConversationRow,
  kinds: [conversationKind],
  keyOf: ({ stream }) => idInStream(conversationKind, stream),
  project: (row, { event, stream, revision, position }) => {
    const lastSeq = revision + 1;
    if (event.type === 'conversation.created') {
      const { userId, title, origin, automationId, at } = event;
      return {
        id: idInStream(conversationKind, stream) ?? '',
        userId,
        title,
        origin,
        automationId,
        liveRunId: null,
        pendingApprovals: 0,
        lastSeq,
        createdAt: at,
        lastActivityAt: at,
        archivedAt: null,
        activityPosition: position,
        position,
      };
    }
    if (row === null) return null;
    if (event.type === 'conversation.updated') return { ...row, title: event.title, lastSeq };
    if (event.type === 'conversation.archived') return { ...row, archivedAt: event.at, lastSeq };
    return {
      ...row,
      liveRunId: liveRunAfter(row, event),
      pendingApprovals: row.pendingApprovals + pendingChange(event),
      lastSeq,
      lastActivityAt: event.at,
      activityPosition: position,
    };
  },
  counters: (row) => [listedAs(row.userId, row.origin, row.archivedAt !== null, isActive(row))],
};

function liveRunAfter(row: ConversationRow, event: ConversationEvent): string | null {
  if (event.type === 'run.started' || event.type === 'run.resumed') return event.runId;
  const leaves = event.type === 'run.ended' || event.type === 'run.suspended';
  return leaves && event.runId === row.liveRunId ? null : row.liveRunId;
}

function pendingChange(event: ConversationEvent): number {
  if (event.type === 'approval.opened') return 1;
  return event.type === 'approval.decided' || event.type === 'approval.expired' ? -1 : 0;
}

/** Ids are answered in lower case, however they were sent. */
function inputOf({ input: { text, artifactIds = [] } }: RunRequest) {
  return { text, artifactIds: artifactIds.map((id) => id.toLowerCase()) };
}

/** Table `messages`: what the user said (a run's input) and what the agent said. */
export const messagesProjection: Projection<MessageRow, ConversationEvent> = {
  name: 'messages',
  version: 1,
  row: MessageRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (event.type === 'run.started' || event.type === 'agent.message' ? event.messageId : null),
  project: (_, { event, stream, revision, position }) => {
    if (event.type !== 'run.started' && event.type !== 'agent.message') return null;
    const from =
      event.type === 'run.started'
        ? { role: 'user' as const, ...inputOf(event.request) }
        : { role: 'assistant' as const, text: event.text, artifactIds: [] };
    return {
      id: event.messageId,
      conversationId: idInStream(conversationKind, stream) ?? '',
      seq: revision + 1,
      runId: event.runId,
      ...from,
      createdAt: event.at,
      position,
    };
  },
};
