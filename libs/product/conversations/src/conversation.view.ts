import type { Instant } from '@app/kernel';
import { pendingApprovals, type ConversationState } from './conversation.state';
import type { ConversationView } from './conversation.schema';

/** The view of a folded conversation: exactly the state at `lastSeq`, so that a stream opened there misses nothing. */
export function conversationView(id: string, state: ConversationState): ConversationView {
  return {
    id,
    title: state.title,
    origin: state.origin,
    automationId: state.automationId,
    status: statusOf(state),
    liveRunId: state.liveRunId,
    pendingApprovals: pendingApprovals(state),
    lastSeq: state.lastSeq,
    createdAt: existing(state.createdAt),
    lastActivityAt: existing(state.lastActivityAt),
    archivedAt: state.archivedAt,
  };
}

/** A live run takes precedence over pending approvals. */
function statusOf(state: ConversationState): ConversationView['status'] {
  if (state.liveRunId !== null) return 'running';
  return pendingApprovals(state) > 0 ? 'awaiting_approval' : 'idle';
}

function existing(instant: Instant | null): Instant {
  if (instant === null) throw new Error('a conversation that does not exist has no view');
  return instant;
}
