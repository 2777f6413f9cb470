import type { StreamKind } from '@app/event-store';
import { conversationDecider, type ConversationCommand } from './conversation.decider';
import type { ConversationState } from './conversation.state';
import { privateMembers, type ConversationEvent } from './conversation.events';
import { conversationUpcasters } from './conversation.upcasters';

/** The stream `conversation-<id>`: the conversation's journal. */
export const conversationKind: StreamKind<ConversationState, ConversationCommand, ConversationEvent> = {
  category: 'conversation',
  decider: conversationDecider,
  privateMembers,
  upcasters: conversationUpcasters,
  stateVersion: 6,
};
