import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import type { ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { conversationView } from './conversation.view';

/** A conversation as of now, folded from its stream. Refuses with `not_found`. */
export class GetConversation extends Query<Result<ConversationView>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
  ) {
    super();
  }
}

@QueryHandler(GetConversation)
export class GetConversationHandler implements IQueryHandler<GetConversation> {
  constructor(private readonly states: FoldedStates) {}

  async execute({ userId, conversationId }: GetConversation): Promise<Result<ConversationView>> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    return state.userId === userId ? ok(conversationView(conversationId, state)) : refuse(notFound);
  }
}
