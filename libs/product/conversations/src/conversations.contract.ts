import { Member, operation, PageQuery, QueryMember, type OperationGroup } from '@app/http';
import { limits } from '@app/kernel';
import { boolean, oneOf, optional, text } from '@app/schema';
import { origins, ratings, ratingText, type Origin, type Rating } from './conversation.events';
import {
  Conversation,
  conversationExamples,
  conversationIdParameter,
  ConversationPage,
  messageIdParameter,
  MessagePage,
} from './conversation.schema';

const title = text({ min: 1, max: limits.titleLengthMax, description: 'What lists show; the agent does not read it' });

export class CreateConversationDto {
  @Member(optional(title))
  title?: string;
}

export class UpdateConversationDto {
  @Member(title)
  title: string;
}

export class ListConversationsDto extends PageQuery {
  @Member(
    optional(oneOf(origins, { description: 'Only those that the user began, or only those that automations began' })),
  )
  origin?: Origin;

  @QueryMember(boolean({ default: false, description: 'Only archived ones, or only those that are not' }))
  archived: boolean;

  @QueryMember(
    optional(boolean({ description: 'Only those where a run is live or an approval waits, or only the others' })),
  )
  active?: boolean;
}

export class ListMessagesDto extends PageQuery {
  @QueryMember(boolean({ default: false, description: 'Whether messages that left the line are listed too' }))
  superseded: boolean;
}

export class RateMessageDto {
  @Member(oneOf(ratings))
  rating: Rating;

  @Member(optional(ratingText))
  text?: string;
}

export const conversationsGroup: OperationGroup = {
  name: 'conversations',
  description: 'Conversations with their messages, and the stream of their journal',
};

export const messagesGroup: OperationGroup = {
  name: 'messages',
  description: 'Ratings of messages',
};

export const createConversation = operation('conversations.create', {
  route: 'POST /v1/users/:userId/conversations',
  status: 201,
  summary: 'Create a conversation',
  body: CreateConversationDto,
  answer: Conversation,
  examples: { body: { title: 'Savings' }, answer: conversationExamples.created },
});

export const listConversations = operation('conversations.list', {
  route: 'GET /v1/users/:userId/conversations',
  summary: "The user's conversations, most recently active first",
  query: ListConversationsDto,
  answer: ConversationPage,
  examples: { answer: conversationExamples.page },
});

export const getConversation = operation('conversations.get', {
  route: 'GET /v1/users/:userId/conversations/:conversationId',
  summary: 'One conversation',
  description:
    'The state at `lastSeq`: a client that opens `conversations.stream` at that cursor misses nothing and sees nothing twice.',
  parameters: { conversationId: conversationIdParameter },
  answer: Conversation,
  examples: { answer: conversationExamples.running },
});

export const updateConversation = operation('conversations.update', {
  route: 'PATCH /v1/users/:userId/conversations/:conversationId',
  summary: 'Rename a conversation',
  parameters: { conversationId: conversationIdParameter },
  body: UpdateConversationDto,
  answer: Conversation,
  examples: { body: { title: 'Savings and rent' }, answer: conversationExamples.renamed },
});

export const archiveConversation = operation('conversations.archive', {
  route: 'POST /v1/users/:userId/conversations/:conversationId/archive',
  status: 204,
  summary: 'Archive a conversation',
  description:
    'Idempotent. Refused while a run has not ended, including one that waits for approval. An archived conversation stays readable ' +
    'and answers every other write with 404.',
  parameters: { conversationId: conversationIdParameter },
  body: 'none',
  answer: null,
  reasons: ['run_active'],
});

export const rateMessage = operation('messages.rate', {
  route: 'POST /v1/users/:userId/conversations/:conversationId/messages/:messageId/feedback',
  status: 204,
  summary: 'Rate a message of the agent',
  description:
    'For whoever evaluates the agent: it is in the journal, in the feed, and a webhook. The last rating of a message counts, and the ' +
    'same one again changes nothing. The agent never reads it.',
  parameters: { conversationId: conversationIdParameter, messageId: messageIdParameter },
  body: RateMessageDto,
  answer: null,
  examples: { body: { rating: 'down', text: 'I asked for my balance in USDC.' } },
});

export const listMessages = operation('conversations.messages', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/messages',
  summary: "A conversation's messages, oldest first",
  description: 'Those of the present line: without those that a run with `input.replaces` has replaced.',
  parameters: { conversationId: conversationIdParameter },
  query: ListMessagesDto,
  answer: MessagePage,
  examples: { answer: conversationExamples.messages },
});
