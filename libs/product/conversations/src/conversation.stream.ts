import type { StreamKind } from '@app/event-store';
import { asId, type ConversationId } from '@app/kernel';
import { sealedForConversation } from '@app/sealing';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationState } from './conversation.state';
import { conversationMembers, type ConversationEvent } from './conversation.events';
import { conversationUpcasters } from './conversation.upcasters';

/** The stream `conversation-<id>`: the conversation's journal. */
export const conversationKind: StreamKind<ConversationState, ConversationCommand, ConversationEvent> = {
  category: 'conversation',
  decider: conversationDecider,
  ...conversationMembers,
  sealedFor: (id, { userId }) => sealedForConversation(asId<ConversationId>(id), userId),
  withoutWords: ['run.ended', 'agent.message', 'agent.reasoning', 'tool.returned'],
  upcasters: conversationUpcasters,
  stateVersion: 11,
};
