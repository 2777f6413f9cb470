import { Injectable } from '@nestjs/common';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Cursors } from '@app/http';
import { durableText, JournalKind } from './fin-event';
import { Journal } from './journal';

export interface EventsPage {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  /** As minted by this list; undefined reads from the beginning. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** `events.list`: a page of a conversation's journal, oldest first. */
@Injectable()
export class ListEvents {
  constructor(
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    private readonly cursors: Cursors,
  ) {}

  /**
   * The answer as JSON text: `{data: FinEvent[], nextCursor}`. `nextCursor` is null when this read reached the journal's end.
   * Refuses a missing or foreign conversation (`not_found`) and a cursor of another list (`invalid_cursor`). Throws Unavailable.
   */
  async page({ userId, conversationId, cursor, limit }: EventsPage): Promise<Result<string>> {
    const binding = { list: 'events.list', userId, filters: { conversationId } };
    const keys = cursor === undefined ? ok([0]) : this.cursors.read(binding, cursor);
    if (!keys.ok) return keys;
    if (!(await this.journal.belongsTo(conversationId, userId))) return refuse(notFound);

    // The seq that was read last is the revision to go on at. One event more than asked for tells whether there are any.
    const events = await this.journal.read(conversationId, Number(keys.value[0]), limit + 1);
    const more = events.length > limit;
    if (more) events.pop();
    const last = events.at(-1);
    const nextCursor = more && last !== undefined ? this.cursors.mint(binding, [last.revision + 1]) : null;
    const data = events.map((event) => durableText(this.kind, event)).join(',');
    return ok(`{"data":[${data}],"nextCursor":${JSON.stringify(nextCursor)}}`);
  }
}
