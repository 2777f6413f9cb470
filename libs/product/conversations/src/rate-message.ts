import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, notFound, ok, refuse } from '@app/kernel';
import type { Cause, ConversationId, MessageId, Result, RunId, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import type { Rating } from './conversation.events';
import { conversationKind } from './conversation.stream';

/**
 * Records the user's rating of a message of the agent; the last one counts, and the same one again changes nothing. Refuses with `not_found`
 * if the conversation has no such message of the agent, or takes no writes any more. Throws Unavailable.
 */
export class RateMessage extends Command<Result<void>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly messageId: MessageId,
    readonly rated: { readonly rating: Rating; readonly text: string | null },
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(RateMessage)
export class RateMessageHandler implements ICommandHandler<RateMessage> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, conversationId, messageId, rated, cause }: RateMessage): Promise<Result<void>> {
    const runId = await this.gate.find(() => this.runOf(conversationId, messageId));
    if (runId === null) return refuse(notFound);
    const message = { id: messageId, runId };
    const command = { type: 'RateMessage', at: this.clock.now(), userId, message, ...rated } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }

  /** The run in which the agent said it; null if it has said nothing of this id there. */
  private async runOf(conversationId: ConversationId, messageId: MessageId): Promise<RunId | null> {
    const [message] = await this.database.query<{ readonly runId: RunId }>(
      `SELECT run_id AS "runId" FROM {messages} WHERE id = $1 AND conversation_id = $2 AND role = 'assistant'`,
      [messageId, conversationId],
    );
    return message?.runId ?? null;
  }
}
