import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type ConversationId, type Result, type UserId } from '@app/kernel';
import { conversationKind } from './conversation.stream';

/** Archives a conversation; a repeated call changes nothing. Refuses with `not_found`, and with `run_active` while a run is not ended. */
export class ArchiveConversation extends Command<Result<void>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(ArchiveConversation)
export class ArchiveConversationHandler implements ICommandHandler<ArchiveConversation> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, conversationId, cause }: ArchiveConversation): Promise<Result<void>> {
    const command = { type: 'ArchiveConversation', at: this.clock.now(), userId } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}
