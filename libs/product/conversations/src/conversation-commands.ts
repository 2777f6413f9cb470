import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import {
  asId,
  Clock,
  notFound,
  ok,
  refuse,
  type Cause,
  type ConversationId,
  type Result,
  type UserId,
} from '@app/kernel';
import { UserQuotas } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import type { ConversationCommand } from './conversation.decider';
import type { ConversationView } from './conversation.schema';
import { conversationKind } from './conversation.stream';
import { conversationView } from './conversations.queries';

/** The use cases of a conversation's own life: each is one command on its stream. */
@Injectable()
export class ConversationCommands {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly quotas: UserQuotas,
  ) {}

  /** `conversations.create`: a new conversation of the user's own making; refused with `rate_limited` where there are too many. */
  async create(userId: UserId, title: string | null, cause: Cause): Promise<Result<ConversationView>> {
    const id = asId<ConversationId>(uuidV7());
    const refusal = await this.quotas.reserve('conversations', { userId, id });
    if (refusal !== null) return refuse(refusal);
    const command = { type: 'CreateConversation', userId, title, origin: 'conversation', automationId: null } as const;
    return this.transact(id, { ...command, at: this.clock.now() }, cause, { newStream: true });
  }

  /** `conversations.update`; a title that is already so changes nothing. */
  async rename(id: ConversationId, userId: UserId, title: string, cause: Cause): Promise<Result<ConversationView>> {
    return this.transact(id, { type: 'RenameConversation', at: this.clock.now(), userId, title }, cause);
  }

  /** `conversations.archive`; refused with `run_active` while a run is not ended, and repeated without effect. */
  async archive(id: ConversationId, userId: UserId, cause: Cause): Promise<Result<ConversationView>> {
    return this.transact(id, { type: 'ArchiveConversation', at: this.clock.now(), userId }, cause);
  }

  /** `conversations.get`: the conversation as of now, folded from its stream. */
  async get(id: ConversationId, userId: UserId): Promise<Result<ConversationView>> {
    const { state } = await this.states.current(conversationKind, id);
    return state.userId === userId ? ok(conversationView(id, state)) : refuse(notFound);
  }

  private async transact(
    id: ConversationId,
    command: ConversationCommand,
    cause: Cause,
    { newStream = false }: { readonly newStream?: boolean } = {},
  ): Promise<Result<ConversationView>> {
    const done = await this.streams.decide(conversationKind, id, command, cause, { newStream, visible: true });
    if (!done.ok) return refuse(done.refusal);
    return ok(conversationView(id, done.value.state));
  }
}
