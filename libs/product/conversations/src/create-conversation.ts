import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { asId, Clock, ok, refuse, type Cause, type ConversationId, type Result, type UserId } from '@app/kernel';
import { UserQuotas } from '@app/quotas';
import { v7 as uuidV7 } from 'uuid';
import type { ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { conversationView } from './conversation.view';

/** Creates a conversation at the user's request. Refuses with `rate_limited` if the user has too many. */
export class CreateConversation extends Command<Result<ConversationView>> {
  constructor(
    readonly userId: UserId,
    readonly title: string | null,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(CreateConversation)
export class CreateConversationHandler implements ICommandHandler<CreateConversation> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly quotas: UserQuotas,
  ) {}

  async execute({ userId, title, cause }: CreateConversation): Promise<Result<ConversationView>> {
    const id = asId<ConversationId>(uuidV7());
    const refusal = await this.quotas.reserve('conversations', { userId, id });
    if (refusal !== null) return refuse(refusal);
    const origin = { origin: 'conversation', automationId: null } as const;
    const command = { type: 'CreateConversation', at: this.clock.now(), userId, title, ...origin } as const;
    const how = { read: 'assume-new', visible: true } as const;
    const done = await this.streams.decide(conversationKind, id, command, cause, how);
    return done.ok ? ok(conversationView(id, done.value.state)) : refuse(done.refusal);
  }
}
