import { Injectable } from '@nestjs/common';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Cursors, PageSpace } from '@app/http';
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
   * The answer as JSON text: `{data: FinEvent[], nextCursor, endCursor}`, of 1 MiB at most, unless the first event is longer.
   * `nextCursor` is null when this read reached the journal's end; `endCursor` never is, and goes on there when more has come.
   * Refuses a missing or foreign conversation (`not_found`) and a cursor of another list (`invalid_cursor`). Throws Unavailable.
   */
  async page({ userId, conversationId, cursor, limit }: EventsPage): Promise<Result<string>> {
    const binding = { list: 'events.list', userId, filters: { conversationId } };
    const keys = cursor === undefined ? ok([0]) : this.cursors.read(binding, cursor);
    if (!keys.ok) return keys;
    if (!(await this.journal.belongsTo(conversationId, userId))) return refuse(notFound);

    // The seq that was read last is the revision to go on at.
    const { texts, goesOn, end } = await this.read(conversationId, Number(keys.value[0]), limit);
    const endCursor = JSON.stringify(this.cursors.mint(binding, [end]));
    return ok(`{"data":[${texts.join()}],"nextCursor":${goesOn ? endCursor : null},"endCursor":${endCursor}}`);
  }

  /** The events that a page has place for, and the revision after them; one more is read, which tells that the journal goes on. */
  private async read(id: ConversationId, from: number, limit: number) {
    const texts: string[] = [];
    const space = new PageSpace();
    let goesOn = false;
    let end = from;
    await this.journal.readWhile(id, from, limit + 1, (event) => {
      const text = durableText(this.kind, event);
      goesOn = texts.length === limit || !space.hasRoomFor(text);
      if (goesOn) return false;
      texts.push(text);
      end = event.revision + 1;
      return true;
    });
    return { texts, goesOn, end };
  }
}
