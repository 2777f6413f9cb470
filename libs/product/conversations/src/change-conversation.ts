import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { asId, Clock, ok, refuse, type Cause, type ConversationId, type Result, type UserId } from '@app/kernel';
import { UserQuotas } from '@app/quotas';
import { v7 as uuidV7 } from 'uuid';
import type { ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { conversationView } from './conversation.queries';

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
class CreateConversationHandler implements ICommandHandler<CreateConversation> {
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
class RenameConversationHandler implements ICommandHandler<RenameConversation> {
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
class ArchiveConversationHandler implements ICommandHandler<ArchiveConversation> {
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

export const conversationCommands = [CreateConversationHandler, RenameConversationHandler, ArchiveConversationHandler];
