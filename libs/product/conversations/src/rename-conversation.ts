import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type ConversationId, type Result, type UserId } from '@app/kernel';
import type { ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { conversationView } from './conversation.view';

/** Renames a conversation; the same title changes nothing. Refuses with `not_found`. */
export class RenameConversation extends Command<Result<ConversationView>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly title: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(RenameConversation)
export class RenameConversationHandler implements ICommandHandler<RenameConversation> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, conversationId, title, cause }: RenameConversation): Promise<Result<ConversationView>> {
    const command = { type: 'RenameConversation', at: this.clock.now(), userId, title } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause, { visible: true });
    return done.ok ? ok(conversationView(conversationId, done.value.state)) : refuse(done.refusal);
  }
}
