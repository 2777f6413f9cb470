import { accept, asId, unreachable } from '@app/kernel';
import type { ConversationId, Decider, Instant, MessageId, RunId, RunKey, UserId } from '@app/kernel';
import type { StreamKind } from '@app/event-store';
import { v5 as uuidV5, version as versionOf } from 'uuid';

/**
 * The permanent binding of a run's id to a conversation, if its client chose the id: the only event of the stream `run-<runKey>`
 * (docs/decisions/runs.md).
 */
export interface RunBound {
  readonly type: 'run.bound';
  readonly at: Instant;
  readonly userId: UserId;
  readonly runId: RunId;
  readonly conversationId: ConversationId;
}

export interface RunBinding {
  readonly conversationId: ConversationId | null;
}

type BindRun = Omit<RunBound, 'type'>;

const runBindingDecider: Decider<RunBinding, BindRun, RunBound> = {
  initialState: { conversationId: null },
  decide: (command, state) => (state.conversationId === null ? accept({ type: 'run.bound', ...command }) : accept()),
  evolve: (_, event) => {
    switch (event.type) {
      case 'run.bound':
        return { conversationId: event.conversationId };
      default:
        return unreachable(event.type);
    }
  },
};

/** The stream `run-<runKey>`. The first binding is valid; a later one changes nothing, and its caller sees the conversation bound. */
export const runBindingKind: StreamKind<RunBinding, BindRun, RunBound> = {
  category: 'run',
  decider: runBindingDecider,
  members: { 'run.bound': { userId: 'clear', runId: 'clear', conversationId: 'clear' } },
  stateVersion: 1,
};

/** Whether the service may have generated the id itself (version 7, or 5 for an occurrence's): those are bound by their run alone. */
export function mayBeMinted(runId: RunId): boolean {
  return [5, 7].includes(versionOf(runId));
}

/** The id of a message that joined a live run, by the key of the run that it was to start: a repeated request finds it. */
export function steeredMessageId(ownRunKey: RunKey): MessageId {
  return asId<MessageId>(uuidV5('steered', ownRunKey));
}

/** A run's id inside the deployment: the same `runId` under another user is another run. */
export function runKeyOf(userId: UserId, runId: RunId): RunKey {
  return asId<RunKey>(uuidV5(runId, userId));
}
