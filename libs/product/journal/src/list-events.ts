import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Cursors, PageSpace } from '@app/http';
import { durableText, JournalKind } from './fin-event';
import { conversationKeyId, KeyRing } from '@app/sealing';
import { Journal } from './journal';
import { ListEventsDto } from './journal.dto';

/** Stored bytes read at a time: a page of 1 MiB with its words sealed is mostly within them. */
const readBytesMax = 2 * 1024 * 1024;

/**
 * A page of a conversation's journal, oldest first, as JSON text: `{data: FinEvent[], nextCursor, endCursor}`, of 1 MiB at most, unless the
 * first event is longer. `nextCursor` is null when this read reached the journal's end; `endCursor` never is, and continues there once
 * there are more events. Refuses a missing or foreign conversation (`not_found`) and a cursor of another list (`invalid_cursor`).
 * @throws Unavailable
 */
export class ListEvents extends Query<Result<string>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly page: ListEventsDto,
  ) {
    super();
  }
}

interface Page {
  /** JSON texts of events, with commas between. */
  readonly texts: string;
  /** Whether there are more events. */
  readonly goesOn: boolean;
  /** The revision to continue at. */
  readonly end: number;
}

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    private readonly cursors: Cursors,
    private readonly keys: KeyRing,
  ) {}

  async execute({ userId, conversationId, page: { cursor, limit } }: ListEvents): Promise<Result<string>> {
    const binding = { list: 'events.list', userId, filters: { conversationId } };
    const start = this.cursors.startOf(binding, cursor);
    if (!start.ok) return start;
    if (!(await this.journal.belongsTo(conversationId, userId))) return refuse(notFound);

    // The seq that was read last is the revision to continue at.
    const { texts, goesOn, end } = await this.pageAt(conversationId, start.value ?? 0, limit);
    const endCursor = JSON.stringify(this.cursors.mint(binding, [end]));
    return ok(`{"data":[${texts}],"nextCursor":${goesOn ? endCursor : null},"endCursor":${endCursor}}`);
  }

  /** A full page never changes, so it is remembered for the next reader, after the revision that follows it. */
  private async pageAt(id: ConversationId, from: number, limit: number): Promise<Page> {
    const [keyId, name] = [conversationKeyId(id), `events ${from} ${limit}`];
    const known = this.keys.recall(keyId, name);
    if (known !== undefined) {
      const at = known.indexOf(' ');
      return { end: Number(known.slice(0, at)), texts: known.slice(at + 1), goesOn: true };
    }
    const page = await this.read(id, from, limit);
    if (page.goesOn) this.keys.remember(keyId, name, `${page.end} ${page.texts}`);
    return page;
  }

  /** Returns the events that fit a page, and the revision after them; one more is read, to see whether the journal continues. */
  private async read(id: ConversationId, from: number, limit: number): Promise<Page> {
    const texts: string[] = [];
    const space = new PageSpace();
    let end = from;
    for (;;) {
      const bounds = { events: limit + 1 - texts.length, bytes: readBytesMax };
      const { events, more } = await this.journal.readWithin(id, end, bounds);
      for (const event of events) {
        const text = durableText(this.kind, event);
        if (texts.length === limit || !space.hasRoomFor(text)) return { texts: texts.join(), goesOn: true, end };
        texts.push(text);
        end = event.revision + 1;
      }
      if (!more) return { texts: texts.join(), goesOn: false, end };
    }
  }
}
