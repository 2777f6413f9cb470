import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { boolean, integer, shape, type Shaped } from '@app/schema';

/** 200 of `conversations.usage`. */
export const ConversationUsage = shape('ConversationUsage', {
  runs: integer({ min: 0 }),
  inputTokens: integer({ min: 0 }),
  outputTokens: integer({ min: 0 }),
  costCents: integer({ min: 0 }),
  estimated: boolean({ description: 'Whether a provider did not say what one of the runs used' }),
});
export type ConversationUsage = Shaped<typeof ConversationUsage>;

/** What all runs of a conversation have used, no older than this call. Refuses with `not_found`. */
export class GetConversationUsage extends Query<Result<ConversationUsage>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
  ) {
    super();
  }
}

@QueryHandler(GetConversationUsage)
export class GetConversationUsageHandler implements IQueryHandler<GetConversationUsage> {
  constructor(
    private readonly states: FoldedStates,
    private readonly gate: ReadGate,
    private readonly database: Database,
  ) {}

  async execute({ userId, conversationId }: GetConversationUsage): Promise<Result<ConversationUsage>> {
    const { state } = await this.states.current(conversationKind, conversationId);
    if (state.userId !== userId) return refuse(notFound);
    await this.gate.caughtUp();
    const [usage] = await this.database.query<ConversationUsage>(
      `SELECT count(*)::integer AS runs, coalesce(sum(input_tokens), 0)::bigint AS "inputTokens",
         coalesce(sum(output_tokens), 0)::bigint AS "outputTokens", coalesce(sum(cost_cents), 0)::bigint AS "costCents",
         coalesce(bool_or(usage_estimated), false) AS estimated
       FROM runs WHERE conversation_id = $1`,
      [conversationId],
      'runs.usage_of_conversation',
    );
    return usage === undefined ? refuse(notFound) : ok(usage);
  }
}
